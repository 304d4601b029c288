import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readTexts, titleOf } from "../edit.ts";
import { ROOT } from "../evidence/working-copy.ts";
import { BISECTED, COMMITS, drawLine } from "./line.ts";
import { outcomeOf, renderBisected } from "./page.ts";
import { BISECTED_RUNS, type BisectedRun, parseFound, readBisected } from "./runs.ts";

const sources = {
  "axum-api": readTexts(ROOT, "axum-api"),
  "gin-api": readTexts(ROOT, "gin-api"),
};
const kind = BISECTED["one-of-64"];
const lineAt = (nth: number) => {
  const cost = kind?.edit(nth);
  if (cost === undefined) throw new Error("no cost");
  return { cost, line: drawLine(cost, sources) };
};

test("each line has its cost at the drawn place, among commits of both services and none", () => {
  const places = Array.from({ length: kind?.wanted ?? 0 }, (_, nth) => {
    const { cost, line } = lineAt(nth);
    expect(line.commits).toHaveLength(COMMITS);
    expect(line.commits[line.place - 1]).toBe(cost);
    const others = line.commits.flatMap((one) => (one === null || one === cost ? [] : one));
    expect(new Set(others.map(titleOf)).size).toBe(others.length);
    const touching = line.commits.filter((one) => one?.service === cost.service).length;
    expect(touching).toBeGreaterThan(COMMITS / 6);
    expect(line.commits.filter((one) => one === null).length).toBeGreaterThan(COMMITS / 4);
    expect(lineAt(nth).line).toEqual(line);
    return line.place;
  });
  expect(new Set(places).size).toBeGreaterThan(places.length / 2);
});

const found = {
  ...{ schema: "tailgate.bisect.v1", state: "found", why: "it is proven" },
  ...{ question: "gin-api/echo p99 typical", change: 0.2, step: 0.19, again: null },
  suspects: [{ id: "c2", subject: "Sort", chance: 0.9 }],
  commits: ["c0", "c1", "c2", "c3"].map((id) => ({ id, subject: id })),
  seen: [
    { kind: "built", at: 0, key: null },
    { kind: "skipped", at: 1, why: "it does not build" },
    { kind: "rounds", purpose: "change", from: 0, to: 3, rounds: 6, d: {} },
  ],
};
const printed = (facts: object): string => JSON.stringify({ ...found, ...facts });

const makeRun = (facts: Partial<BisectedRun> = {}): BisectedRun => ({
  name: "2026-12-01T000000Z-one-of-64",
  kind: "one-of-64",
  edit: { service: "gin-api", kind: "cost", name: "sort" },
  ...{ place: 2, touching: 20, commit: "0123456789abcdef", minutes: 7, exitCode: 0, failure: [] },
  machine: { cpuModel: "CPU", cpus: 2, memoryGiB: 8, kernel: "6.1" },
  found: parseFound(printed({})),
  ...facts,
});

const RUNS = {
  right: makeRun(),
  several: makeRun({ found: parseFound(printed({ state: "one-of" })) }),
  wrong: makeRun({ place: 3 }),
  undecided: makeRun({ found: parseFound(printed({ state: "undecided", question: null })) }),
  none: makeRun({ found: null, exitCode: 1, failure: ["no"] }),
};

test("what came of a bisection is by the place of its cost", () => {
  const outcomes = Object.values(RUNS).map(outcomeOf);
  expect(outcomes).toEqual(["right", "right, one of several", "wrong", "undecided", null]);
  expect(() => parseFound("no JSON")).toThrow();
});

test("the page says what each came to", () => {
  expect(renderBisected([])).toBe(null);
  expect(renderBisected(Object.values(RUNS))).toMatchSnapshot();
});

test("the page says what the recorded runs say: node lab/evidence/render.ts", () => {
  const page = "lab/bisect/README.md";
  const text = existsSync(page) ? readFileSync(page, "utf8") : null;
  expect(renderBisected(readBisected(BISECTED_RUNS))).toBe(text);
});
