// Scenarios for wrk2: what follows from the rate, and what is refused before anything runs.
import { expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";

function withWrk2(lines: string, rate = "2000/s"): string {
  const own = ["generator: wrk2", ...(lines === "" ? [] : lines.split("\n"))];
  return FIRST.replace(
    "    rate: 2000/s",
    [`rate: ${rate}`, ...own].map((l) => `    ${l}`).join("\n"),
  );
}

test("oha unless it is said otherwise", () => {
  expect(parse(FIRST).scenarios[0]?.generator).toBe("oha");
  expect(parse(withWrk2("")).scenarios[0]?.generator).toBe("wrk2");
});

test("slice and warm-up are whole seconds", () => {
  const check = (rate: string, durationMs: number, warmupRequests: number): void => {
    const [scenario] = parse(withWrk2("", rate)).scenarios;
    expect(scenario, rate).toMatchObject({ slice: { durationMs, pairs: 2 }, warmupRequests });
  };
  check("2000/s", 2000, 2000);
  check("300/s", 4000, 300);
  check("100/s", 8000, 100);
});

test("what wrk2 cannot do is said", () => {
  const check = (lines: string, words: string, rate?: string): void => {
    expect(refusal(withWrk2(lines, rate)), lines).toContain(words);
  };
  check("", "whole numbers of requests a second", "12.5/s");
  check("slice: { duration: 500ms }", "wrk2 takes whole seconds");
  check("slice: { duration: 9s }", "more than 8s");
  check("warmup: 20000", "longer than 8s");
  check("connections: 50", "50 take 250ms of 2s");
  check("connections: 60\nslice: { duration: 8s }", "takes idle ones for timed out", "20/s");
  const pattern = withWrk2("").replace("GET /hello", '{ pathPattern: "/u/[1-9]" }');
  expect(refusal(pattern)).toContain("draws no paths from a pattern");
});
