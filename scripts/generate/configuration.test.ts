import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIGURATION_TABLES } from "./configuration.ts";
import { fillTables } from "./tables.ts";

test("docs/configuration.md is up to date (npm run generate) and describes every key", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
  expect(fillTables(page, CONFIGURATION_TABLES) === page).toBe(true);
  for (const name of Object.keys(CONFIGURATION_TABLES)) expect(page).toContain(`begin ${name} `);
  expect(page.split("\n").filter((line) => /^\| .*\| *\|$/.test(line))).toEqual([]);
});
