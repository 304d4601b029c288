// The status says what the comment says, in one line that GitHub takes.
import { expect, test } from "vitest";
import { makeReport } from "../../../../test/support/report.ts";
import { HOSTILE, REPORT_CASES } from "../../../../test/support/report-cases.ts";
import type { VerdictState } from "../../model/verdict.ts";
import { NOTICE_FACTS, type NoticeKind } from "./notice.ts";
import { type StatusPolicy, statusOf, statusOfNotice } from "./status.ts";

const NOTICE_KINDS = Object.keys(NOTICE_FACTS) as NoticeKind[];

const base = { ref: "main", commit: "1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e" };

const STRICT: StatusPolicy = { inconclusive: "fail" };
const LENIENT: StatusPolicy = { inconclusive: "pass" };

function check(state: VerdictState, policy: StatusPolicy, expected: string): void {
  const report = makeReport({ state, summary: "the words" });
  const status = statusOf(report, { trust: "own", base }, policy);
  expect(`${status.state}: ${status.description}`).toBe(expected);
}

test("states", () => {
  check("pass", STRICT, "success: PASS for main@1b2c3d4 (change's rules): the words");
  check("improved", STRICT, "success: IMPROVED for main@1b2c3d4 (change's rules): the words");
  check("regressed", STRICT, "failure: REGRESSED for main@1b2c3d4 (change's rules): the words");
  check("invalid", STRICT, "error: INVALID for main@1b2c3d4 (change's rules): the words");
  check(
    "inconclusive",
    STRICT,
    "failure: INCONCLUSIVE for main@1b2c3d4 (change's rules): the words",
  );
  check("no-baseline", STRICT, "failure: NO BASELINE for main@1b2c3d4 (change's rules): the words");
});

test("what a policy lets through is said to be", () => {
  check("regressed", LENIENT, "failure: REGRESSED for main@1b2c3d4 (change's rules): the words");
  check("invalid", LENIENT, "error: INVALID for main@1b2c3d4 (change's rules): the words");
  check(
    "inconclusive",
    LENIENT,
    "success: INCONCLUSIVE for main@1b2c3d4 (let through, change's rules): the words",
  );
  check(
    "no-baseline",
    LENIENT,
    "failure: NO BASELINE for main@1b2c3d4 (change's rules): the words",
  );
});

test.each([
  ["far beyond its margin", "inconclusive", 9, "failure"],
  ["beyond it and accepted by a waiver", "waived", 9, "success"],
  ["within it", "inconclusive", 0.01, "success"],
] as const)("no answer, and an estimate %s", (_, state, shift, expected) => {
  const report = makeReport({
    state: "inconclusive",
    changes: { "axum-api/echo p99 typical": { state, shift } },
  });
  expect(statusOf(report, { trust: "own", base }, LENIENT).state).toBe(expected);
});

test("a long name of a branch leaves room for the verdict", () => {
  const long = { ...base, ref: `release/${"x".repeat(200)}` };
  const { description } = statusOf(
    makeReport({ summary: "the words" }),
    { trust: "own", base: long },
    STRICT,
  );
  expect(description).toMatch(/^PASS for release\/x{21}…@1b2c3d4 \(change's rules\): the words$/);
});

test("numbers of another job are called so", () => {
  const status = statusOf(makeReport({ summary: "x" }), { trust: "attested", base }, STRICT);
  expect(status.description).toBe("PASS for main@1b2c3d4 (base's rules, job's numbers): x");
});

test("a description is one short line, whatever it is made of", () => {
  const long = [..."𝒳".repeat(500), "\n", HOSTILE.terminal].join("");
  const reports = [
    ...Object.values(REPORT_CASES).map((make) => make()),
    makeReport({ summary: long, state: "invalid" }),
  ];
  const all = [
    ...reports.map((report) => statusOf(report, { trust: "attested", base }, STRICT)),
    ...NOTICE_KINDS.map((kind) => statusOfNotice({ kind, text: long, detail: long })),
  ];
  for (const { description } of all) {
    expect(description.length).toBeLessThanOrEqual(140);
    expect(description).toMatch(/^[A-Z][A-Z ]+(:| for main@)/);
    expect(description).not.toMatch(/[\p{Cc}\p{Cs}\u202e]/u);
  }
});

test("of a sentence of ours most is left", () => {
  for (const [name, make] of Object.entries(REPORT_CASES)) {
    if (name === "hostile") continue;
    const { description } = statusOf(make(), { trust: "own", base }, STRICT);
    expect(description.indexOf("…") + 1 || 140, name).toBe(140);
    const [, kept = ""] = description.split(" (change's rules): ");
    const { length } = make().verdict.summary;
    expect(kept.length, name).toBeGreaterThanOrEqual(Math.min(length, 60));
  }
});

test("without a result it is an error that says which", () => {
  for (const kind of NOTICE_KINDS) {
    const status = statusOfNotice({ kind, text: "", detail: "" });
    expect(status.state).toBe("error");
    expect(status.description).toBe(`${NOTICE_FACTS[kind].word}: ${NOTICE_FACTS[kind].meaning}`);
  }
});
