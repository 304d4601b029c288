// The real toolkit against files such as a runner's, and the lines that it prints.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { HOSTILE_TEXTS } from "../../../test/support/hostile-text.ts";
import { harmOnScreen } from "../../../test/support/screen.ts";
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
    "::warning title=a%2Cb%3Ac::100 %25%0A: :error::planted",
  ]);
});

test("no text is obeyed by a runner or a terminal, wherever the log shows it", () => {
  const runner = connectRunner({});
  const hostile = fc.array(
    fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: "binary", maxLength: 6 })),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      printed = "";
      const text = parts.join("\u001b[2J##[x]");
      runner.log(text);
      runner.startGroup(text);
      runner.annotate({ level: "notice", title: text, message: text });
      const foreign = printed.replace(/^::(?:group|notice)(?: title=| ?::)/gm, "ours ");
      expect(harmOnScreen(foreign, Number.POSITIVE_INFINITY)).toBeNull();
      const [log = ""] = printed.split("\n");
      expect(log.length).toBeLessThanOrEqual(8000);
    }),
  );
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
