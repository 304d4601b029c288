import { expect, test } from "vitest";
import { reportCase } from "../../test/support/report-cases.ts";
import { renderAnnotations } from "./annotations.ts";

const of = (name: string) => renderAnnotations(reportCase(name));

test("a pass without warnings is silent", () => {
  expect(of("pass")).toEqual([]);
});

test("the verdict comes first, then what decided it, then the rest", () => {
  expect(of("regressed-p99").map(({ level, title }) => `${level} ${title}`)).toEqual([
    "error Tailgate: REGRESSED",
    "error gin-api/echo p99: regressed",
    "error gin-api/echo p99 of all requests: regressed",
    "notice gin-api RSS peak: regressed",
    "warning Tailgate: stall",
  ]);
});

test("inconclusive is a warning, invalid and no baseline are errors", () => {
  const level = (name: string) => of(name)[0]?.level;
  expect(["inconclusive", "invalid", "no-baseline", "improved"].map(level)).toEqual([
    "warning",
    "error",
    "error",
    "notice",
  ]);
});

test("a pass that rests on a waiver is a warning, and names it", () => {
  expect(of("waived").map(({ level, title }) => `${level} ${title}`)).toEqual([
    "warning Tailgate: PASS WITH WAIVER",
    "warning gin-api/echo p99: waived",
    "warning Tailgate: waiver",
  ]);
});

test("at most ten", () => {
  expect(of("no-baseline")).toHaveLength(10);
});

test("nothing foreign breaks out of a line", () => {
  for (const { title, message } of of("hostile")) {
    expect(title + message).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
  }
});
