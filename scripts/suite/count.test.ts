import { expect, test } from "vitest";
import { asOne, cargoCount, goCount, goText, ownCount } from "./count.ts";

test("a suite that reports no single tests fails on a non-zero exit code", () => {
  expect(asOne("", true).passed).toBe(1);
  expect(asOne("", false).passed).toBe(0);
});

test("cargo: each test by its result, and what was skipped at run time", () => {
  const output = `
skipped: DATABASE_URL not set
test a::works ... ok
test a::breaks ... FAILED
test a::slow ... ignored, wants a network
test a::other ... ignored
test result: FAILED. 1 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out
`;
  expect(cargoCount(output, false)).toEqual({
    passed: 1,
    failures: ["a::breaks"],
    skipped: [
      { test: "a::slow", reason: "wants a network" },
      { test: "a::other", reason: "ignored" },
      { test: "cargo test", reason: "DATABASE_URL not set" },
    ],
  });
});

const event = (Action: string, Test?: string, Output?: string): string =>
  JSON.stringify({ Action, Package: "p", Test, Output });
const GO = [
  "# a line of the linker",
  event("run", "TestA"),
  event("output", "TestA", "    a_test.go:1: noise\n"),
  event("pass", "TestA"),
  event("output", "TestB", "    b_test.go:7: got 1, want 2\n"),
  event("fail", "TestB"),
  event("output", "TestC", "    c_test.go:9: skipped: no server\n"),
  event("skip", "TestC"),
  event("output", undefined, "FAIL p\n"),
  event("fail"),
].join("\n");

test("go: each test by its result, with the reason of a skip", () => {
  expect(goCount(GO, false)).toEqual({
    passed: 1,
    failures: ["p: TestB"],
    skipped: [{ test: "TestC", reason: "no server" }],
  });
});

test("go: a package that does not compile is a failure", () => {
  const output = JSON.stringify({ Action: "build-fail", ImportPath: "p" });
  expect(goCount(output, false).failures).toEqual(["p"]);
});

test("go: of what passed only the package is shown", () => {
  const text = goText(GO);
  expect(text).not.toContain("noise");
  for (const shown of ["a line of the linker", "got 1, want 2", "no server", "FAIL p"]) {
    expect(text).toContain(shown);
  }
});

test("our scripts: the last line, failures and skips", () => {
  const output = "ok: a\nFAILED: b, 3 inputs\nskipped: no compiler\n1 passed, 1 failed\n";
  expect(ownCount(output, false)).toEqual({
    passed: 1,
    failures: ["b, 3 inputs"],
    skipped: [{ test: "", reason: "no compiler" }],
  });
});
