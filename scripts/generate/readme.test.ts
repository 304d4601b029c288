import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readmeTables } from "./readme.ts";
import { fillTables } from "./tables.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const EVIDENCE = read("lab/evidence/README.md");

test("README's figures are those of the evidence (npm run generate)", () => {
  const page = read("README.md");
  expect(fillTables(page, readmeTables(EVIDENCE))).toBe(page);
  for (const name of Object.keys(readmeTables(""))) expect(page).toContain(`begin ${name} `);
});

test("a figure that the evidence has no more is told by its row", () => {
  const without = EVIDENCE.replace(/^\| rss\+5 .*$/m, "").replace(/^\| tailgate .*$/m, "");
  expect(() => readmeTables(without).minutes?.()).toThrow("no row rss+5");
  expect(() => readmeTables(without).alarms?.()).toThrow("no row tailgate");
  const renamed = EVIDENCE.replace("| minutes: median, 9 in 10 |", "| minutes |");
  expect(() => readmeTables(renamed).minutes?.()).toThrow("no column minutes: median, 9 in 10");
});
