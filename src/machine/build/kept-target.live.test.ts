import { chmodSync, readdirSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeRecipe, makeTestFolder, type TestFolder } from "../../../test/support/build.ts";
import type { Recipe } from "../../core/model/config.ts";
import { type Clock, systemClock } from "../sys/clock.ts";
import { giveKeptTarget, takeKeptTarget, targetFolderOf } from "./kept-target.ts";

const CARGO = ["cargo", "build", "--release"];
const RECIPES: [Partial<Recipe>, string | null][] = [
  [{ build: CARGO, artifact: "target/release/api" }, "target"],
  [{ build: CARGO, artifact: "../../target/release/api" }, "../../target"],
  [{ build: ["/opt/rust/bin/cargo", "build"], artifact: "target/debug/api" }, "target"],
  [{ build: CARGO, artifact: "bin/api" }, null],
  [{ build: CARGO, artifact: null }, null],
  [{ build: ["go", "build"], artifact: "target/api" }, null],
  [{ build: [], artifact: "target/api" }, null],
];
test.each(RECIPES)("the target folder of %o is %s", (recipe, expected) => {
  expect(targetFolderOf(makeRecipe(recipe))).toBe(expected);
});

const at = (ms: number): Clock => ({ ...systemClock, wallTime: () => new Date(ms).toISOString() });

/** A checkout with sources and, once built, a target folder. */
function makeCheckout(folder: TestFolder): { root: string; target: string } {
  folder.write("checkout/src/main.rs", "");
  folder.write("checkout/.git", "gitdir: x");
  const root = join(folder.path, "checkout");
  return { root, target: join(root, "target") };
}

const CLOCKS: [string, number][] = [
  ["later", 60_000],
  ["at the same millisecond", 0],
  ["by a clock that was set back an hour", -3_600_000],
];
test.each(CLOCKS)("every source is newer than a folder that is taken %s", (_, laterMs) => {
  using folder = makeTestFolder();
  const { root, target } = makeCheckout(folder);
  const now = Date.now();
  folder.write("checkout/target/release/api", "binary");
  const builtMs = statSync(join(target, "release/api")).mtimeMs;
  giveKeptTarget("id", target, { cache: folder.path, clock: at(now) });
  expect(readdirSync(root).sort()).toEqual([".git", "src"]);
  utimesSync(join(root, "src/main.rs"), 1, 1);

  const taken = takeKeptTarget("id", target, root, {
    cache: folder.path,
    clock: at(now + laterMs),
  });
  expect(taken).toBe(true);
  const keptMs = statSync(target).mtimeMs;
  for (const path of ["src", "src/main.rs"]) {
    const newerByMs = statSync(join(root, path)).mtimeMs - keptMs;
    expect(newerByMs).toBeGreaterThanOrEqual(999);
  }
  expect(statSync(join(target, "release/api")).mtimeMs).toBe(builtMs);
  expect(
    takeKeptTarget("id", join(root, "other"), root, { cache: folder.path, clock: at(now) }),
  ).toBe(false);
});

test("a clock that was set back during the build does not make its files look old", () => {
  using folder = makeTestFolder();
  const { root, target } = makeCheckout(folder);
  const now = Date.now();
  const file = folder.write("checkout/target/release/api", "binary");
  utimesSync(file, now / 1000 + 3600, now / 1000 + 3600);
  const ports = { cache: folder.path, clock: at(now) };
  giveKeptTarget("id", target, ports);
  expect(takeKeptTarget("id", target, root, ports)).toBe(true);
  expect(statSync(join(root, "src/main.rs")).mtimeMs).toBeGreaterThan(statSync(file).mtimeMs);
});

test("nothing is taken from a folder that everybody may write", () => {
  using folder = makeTestFolder();
  const { root, target } = makeCheckout(folder);
  const ports = { cache: folder.path, clock: at(Date.now()) };
  folder.write("checkout/target/release/api", "binary");
  giveKeptTarget("id", target, ports);
  chmodSync(join(folder.path, "target/id"), 0o1777);
  expect(takeKeptTarget("id", target, root, ports)).toBe(false);
});

test("a folder is kept for one id, twice at most, and for two weeks", () => {
  using folder = makeTestFolder();
  const { root, target } = makeCheckout(folder);
  const now = Date.now();
  const give = (ms: number): void => {
    folder.write("checkout/target/file", "");
    giveKeptTarget("id", target, { cache: folder.path, clock: at(ms) });
  };
  const kept = (): number => readdirSync(join(folder.path, "target/id")).length;
  give(now);
  give(now);
  expect(kept()).toBe(2);
  give(now);
  expect(kept()).toBe(2);
  expect(
    takeKeptTarget("other", join(root, "t"), root, { cache: folder.path, clock: at(now) }),
  ).toBe(false);
  give(now + 15 * 24 * 3600 * 1000);
  expect(kept()).toBe(1);
});

test("a target folder that git tracks is left as it is", () => {
  using folder = makeTestFolder();
  const { root, target } = makeCheckout(folder);
  folder.write("checkout/target/old", "");
  giveKeptTarget("id", target, { cache: folder.path, clock: systemClock });
  folder.write("checkout/target/tracked", "");
  expect(takeKeptTarget("id", target, root, { cache: folder.path, clock: systemClock })).toBe(
    false,
  );
  expect(readdirSync(target)).toEqual(["tracked"]);
});
