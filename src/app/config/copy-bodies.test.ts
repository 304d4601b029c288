// A run sends what its samples file names, or does not begin.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { makeRequest, makeScenario } from "../../../test/support/samples.ts";
import type { Scenario } from "../../core/model/config.ts";
import { copyBodies, sha256Of } from "./body-file.ts";

let root = "";
let folder = "";
beforeEach(() => {
  root = makeFolder();
  folder = makeFolder();
  writeFileSync(join(root, "body.json"), "[1]");
});

const scenarioWith = (body: Scenario["request"]["body"]) =>
  makeScenario({ request: makeRequest({ body }) });

const SHA256 = sha256Of(Buffer.from("[1]"));
const NAMED = { path: "body.json", sha256: SHA256, bytes: 3, repeat: null };

test("each body file is placed once, under its hash; text and nothing need no file", () => {
  const scenarios = [NAMED, "text", null, NAMED].map(scenarioWith);
  copyBodies(scenarios, root, folder);
  expect(readdirSync(folder)).toEqual([`body-${SHA256}`]);
  expect(readFileSync(join(folder, `body-${SHA256}`), "utf8")).toBe("[1]");
});

test("a file that is another one by now ends the run in words", () => {
  const check = (words: string): void => {
    expect(() => copyBodies([scenarioWith(NAMED)], root, folder)).toThrow(words);
    expect(readdirSync(folder)).toEqual([]);
  };
  writeFileSync(join(root, "body.json"), "[2]");
  check("api/echo: body.json has changed since this run began");
  rmSync(join(root, "body.json"));
  check("api/echo: cannot read body.json: there is no such file");
});
