// The real toolkit against files such as a runner's, and the lines that it prints.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { connectRunner } from "./toolkit.ts";

let folder: string;
let printed: string;
beforeEach(() => {
  folder = makeFolder();
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test("an output of several lines stays one output", () => {
  const path = join(folder, "output");
  writeFileSync(path, "");
  vi.stubEnv("GITHUB_OUTPUT", path);
  connectRunner({}).output("headline", "one\nverdict=pass\nghadelimiter");
  const [first = "", ...rest] = readFileSync(path, "utf8").trimEnd().split("\n");
  const delimiter = /^headline<<(ghadelimiter_[0-9a-f-]{36})$/.exec(first)?.[1];
  expect(delimiter).toBeDefined();
  expect(rest).toEqual(["one", "verdict=pass", "ghadelimiter", delimiter]);
});

test("untrusted text cannot inject workflow commands, in the log or in an annotation", () => {
  const runner = connectRunner({});
  runner.log("::error::planted\n::warning::planted");
  runner.startGroup("build\n::error::planted");
  runner.annotate({ level: "warning", title: "a,b:c", message: "100 %\n::error::planted" });
  const commands = printed.split("\n").filter((line) => /^\s*::/.test(line));
  expect(commands).toEqual([
    expect.stringMatching(/^::group::build/),
    "::warning title=a%2Cb%3Ac::100 %25%0A::error::planted",
  ]);
});

test("a summary is truncated to GitHub's limit and replaces the previous one", () => {
  const path = join(folder, "summary");
  writeFileSync(path, "");
  const runner = connectRunner({ GITHUB_STEP_SUMMARY: path });
  runner.summary("é".repeat(1024 * 1024));
  expect(statSync(path).size).toBeLessThanOrEqual(1024 * 1024);
  runner.summary("### short\n");
  expect(readFileSync(path, "utf8")).toBe("### short\n");
  connectRunner({}).summary("there is no file for it");
});
