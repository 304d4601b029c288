// The pages of docs/examples/ name what there is, and each configuration in it can be read.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../src/app/config/load.ts";
import { RECIPES } from "./e2e/recipes.ts";

const EXAMPLES = resolve(import.meta.dirname, "../docs/examples");
const names = readdirSync(EXAMPLES).filter((name) => name !== "README.md");
const gated = names.filter((name) => existsSync(join(EXAMPLES, name, "tailgate.yml")));

test("the table names every example", () => {
  const page = readFileSync(join(EXAMPLES, "README.md"), "utf8");
  const linked = new Set([...page.matchAll(/\]\(([\w.-]+)\)/g)].map(([, target]) => target));
  expect([...linked].sort()).toEqual(names.sort());
});

test("every repository is gated, and has a page of its own", () => {
  expect(RECIPES.map(({ folder }) => folder).sort()).toEqual(gated.sort());
  for (const name of gated) expect(readdirSync(join(EXAMPLES, name))).toContain("README.md");
});

test.each(gated)("%s: its configuration is read, and its planted change fits", (name) => {
  const root = join(EXAMPLES, name);
  const config = loadConfig(join(root, "tailgate.yml"), root);
  expect(config.scenarios.length).toBeGreaterThan(0);
  const planted = RECIPES.find(({ folder }) => folder === name)?.planted;
  const text = readFileSync(join(root, planted?.file ?? ""), "utf8");
  expect(text.split(planted?.from ?? "")).toHaveLength(2);
});

test("what two examples share is the same in both", () => {
  const read = (file: string): string => readFileSync(join(EXAMPLES, file), "utf8");
  for (const folder of ["compose", "unique-ids"]) {
    expect(read(`${folder}/postgres.mjs`)).toBe(read("migrates-its-database/postgres.mjs"));
  }
  expect(read("compose/redis.mjs")).toBe(read("queue/redis.mjs"));
});
