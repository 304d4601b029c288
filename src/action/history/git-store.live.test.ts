// The history on a ref of the fake GitHub, over the real client: what many jobs append at once is all
// there, and the ref never moves back.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { meet, SEED } from "../../../test/fake-github/testing.ts";
import { daysFrom, nightOf } from "../../../test/support/history.ts";
import { createPrng } from "../../core/base/prng.ts";
import { inOrder } from "../../core/history/order.ts";
import type { GitHub } from "../../github/port.ts";
import { GitHubError } from "../../github/port.ts";
import { gitStore } from "./git-store.ts";

const BRANCH = "tailgate-history";

/** A request to the fake takes a fortieth of one to GitHub, and so does a wait. */
const clock = { sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms / 40)) };

function storeOn(github: GitHub, { ref = BRANCH, seed = 1 } = {}) {
  return gitStore({ github, ref, clock, log: () => {}, random: createPrng(seed).next });
}

const RECORDS = daysFrom(1, 20).map((day) => nightOf({ day }));

test.each([
  [20, BRANCH],
  [3, "refs/tailgate/history"],
])("%d jobs append to %s at once, and nothing is lost", async (jobs, ref) => {
  await using met = await meet();
  const records = RECORDS.slice(0, jobs);
  const added = await Promise.all(
    records.map((record, seed) => storeOn(met.github, { ref, seed }).append([record])),
  );
  expect(added).toEqual(records.map(() => 1));
  expect(await storeOn(met.github, { ref }).read(null)).toEqual(inOrder(records));
});

test("the same run appended twice counts once, also when it is a line of its month", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  for (const record of RECORDS) await store.append([record]);
  expect(await store.append(RECORDS)).toBe(0);
  const more = daysFrom(21, 24).map((day) => nightOf({ day }));
  for (const record of more) await store.append([record]);
  const head = await met.github.branch(BRANCH);
  const paths = (await met.github.tree(head?.sha ?? "")).map(({ path }) => path);
  // The twenty before are lines of January; those since are files of their own.
  expect(paths.filter((path) => path.endsWith(".jsonl"))).toEqual(["2026-01.jsonl"]);
  expect(paths.filter((path) => path.startsWith("runs/"))).toHaveLength(4);
  expect(await store.append(RECORDS.slice(0, 2))).toBe(0);
  expect(await store.read(null)).toEqual(inOrder([...RECORDS, ...more]));
});

test("it is a branch of its own, and each append one commit on the one before", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  await store.append(RECORDS.slice(0, 1));
  await store.append(RECORDS.slice(1, 3));
  const head = await met.github.branch(BRANCH);
  const [parent, ...others] = (await met.github.parentsOf(head?.sha ?? "")) ?? [];
  expect(others).toEqual([]);
  expect(await met.github.parentsOf(parent ?? "")).toEqual([]);
  const state = (await (await fetch(`${met.fake.url}/_fake/state`)).json()) as { git: string };
  const log = execFileSync("git", ["--git-dir", state.git, "log", "--format=%s", BRANCH]);
  expect(log.toString()).toBe("Record run night-2\nRecord run night-1\n");
});

test("only the months that are asked for are read", async () => {
  await using met = await meet();
  const store = storeOn(met.github);
  await store.append([nightOf({ day: 1 }), nightOf({ day: 40 })]);
  expect(await store.read("2026-02")).toEqual([nightOf({ day: 40 })]);
});

test("a token that may not write says what it lacks, and nothing is there", async () => {
  const tokens = { reader: { permissions: { contents: "read" } } } as const;
  await using met = await meet({ token: "reader", seed: { ...SEED, tokens } });
  const failed = await storeOn(met.github)
    .append(RECORDS)
    .catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(GitHubError);
  expect((failed as GitHubError).next).toContain("contents: write");
  expect(await storeOn(met.github).read(null)).toEqual([]);
});
