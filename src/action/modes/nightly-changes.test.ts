// Three weeks of nights through the action: what crept or stepped up is in the one issue with its
// size and its commits, and is gone from it when the level is back.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  freshForEach,
  github,
  runStep,
  sampled,
  urlOf,
  workspace,
} from "../../../test/support/action.ts";
import { recordNight } from "../../../test/support/history.ts";
import type { SamplesRecipe } from "../../../test/support/samples.ts";
import { writeSamples } from "../../app/documents/samples.ts";
import { recordPath, renderRecord } from "../../core/history/layout.ts";
import type { Samples } from "../../core/model/samples.ts";

freshForEach();

/** A night's p99 is known to 1.5 %, or so. */
const NIGHT = { noise: 0.06, rounds: 20 };
const ANCHOR = "a".repeat(40);
const commitOf = (day: number): string => day.toString(16).padStart(4, "0").repeat(10);
const dateOf = (day: number): string =>
  new Date(Date.UTC(2026, 8, 1 + day, 1, 17)).toISOString().slice(0, 10);

function nightOn(day: number, recipe: Partial<SamplesRecipe> = {}): Samples {
  const samples = sampled({ ...NIGHT, seed: 2000 + day, ...recipe });
  const { candidate } = samples.sources;
  return {
    ...samples,
    run: { ...samples.run, id: `night-${day}`, startedAt: `${dateOf(day)}T01:17:00.000Z` },
    sources: {
      candidate: { ...candidate, commit: commitOf(day), subject: `Change of day ${day}` },
      reference: { ...candidate, commit: ANCHOR, label: "commit of the stored baseline" },
    },
  };
}

/** Nights that were recorded before: the action had no part in them here. */
function remember(nights: readonly Samples[]): void {
  const records = nights.map(recordNight);
  const files = records.map((one) => [recordPath(one), renderRecord(one)]);
  github.push("tailgate-history", Object.fromEntries(files));
}

const days = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, k) => from + k);

const spend = (samples: Samples, inputs: Record<string, string> = {}) =>
  runStep({
    event: "schedule",
    samples,
    inputs: { mode: "nightly", ...inputs },
  });

const standing = (): string =>
  /\*\*Changes that stand\*\*\n\n((?:- .*\n)+)/.exec(github.issues.at(-1)?.body ?? "")?.[1] ?? "";

/** Nights of a creep of 1 % a night until it is told, and by how much it then has crept in percent. */
async function creepFrom(onset: number): Promise<{ found: number; crept: number }> {
  const creep = (day: number) => ({
    p99Ratio: { "api/echo": 1.01 ** Math.max(0, day - onset + 1) },
  });
  remember(days(0, onset + 5).map((day) => nightOn(day, creep(day))));
  let day = onset + 5;
  while (!standing().includes("api/echo p99:") && day < onset + 21) {
    await spend(nightOn(day, creep(day)));
    day++;
  }
  return { found: day - onset, crept: 100 * (1.01 ** (day - onset) - 1) };
}

test("p99 creeps by 1 % a night: told within three weeks, with size and first commits", async () => {
  const { found, crept } = await creepFrom(20);
  expect(found).toBeLessThan(21);
  const [, low, high, after = "", by = ""] =
    /^- api\/echo p99: \*\*\+[\d.]+ %\*\* \[\+([\d.]+), \+([\d.]+)\] % little by little from .*\[\S+\]\(<https:\/\/github.com\/acme\/shop\/compare\/(\w+)\.\.\.(\w+)>\), and was first seen/m.exec(
      standing(),
    ) ?? [];
  expect(Number(low)).toBeLessThan(crept);
  expect(Number(high)).toBeGreaterThan(crept);
  expect(after <= commitOf(19) && by >= commitOf(20), `${after}..${by}`).toBe(true);
  expect(github.issues.filter(({ state }) => state === "open")).toHaveLength(1);
});

test("even where no night was calm", async () => {
  const { found } = await creepFrom(1);
  expect(found).toBeLessThanOrEqual(21);
  expect(standing()).toMatch(/^- api\/echo p99: .* little by little from 2026-09-0\d/m);
});

/** A step may be told as a short creep. */
const TITLE =
  /^Tailgate nightly: api RSS after load \+[12]\.\d % (little by little )?since 2026-09-2\d$/;

test("a step is told with its one issue, and the issue ends when the level is back", async () => {
  const heavier = { rssRatio: { api: 1.02 } };
  remember(days(0, 30).map((day) => nightOn(day, day < 24 ? {} : heavier)));
  const { conclusion, runner } = await spend(nightOn(30, heavier));
  expect(conclusion.state).toBe("success");
  expect(runner.outputs.issue).toBe(urlOf(github.issues[0]));
  const open = { state: "open", title: expect.stringMatching(TITLE) };
  expect(github.issues).toMatchObject([open]);
  expect(standing()).toMatch(
    /^- api RSS after load: \*\*\+[12]\.\d %\*\* \[\+\d.*\] % .* 2026-09-2\d.* Change of day 2\d\.\n$/,
  );

  await spend(nightOn(31, heavier));
  expect(github.issues).toMatchObject([open]);
  expect(github.history()).toHaveLength(32);

  remember(days(32, 46).map((day) => nightOn(day)));
  await spend(nightOn(46));
  expect(github.issues).toMatchObject([{ state: "closed" }]);
  expect(github.issues[0]?.body).toContain("All is right again.");
});

test("another anchor, which has the change in it, ends it too", async () => {
  const heavier = { rssRatio: { api: 1.02 } };
  remember(days(0, 30).map((day) => nightOn(day, day < 24 ? {} : heavier)));
  await spend(nightOn(30, heavier));
  const renewed = nightOn(31);
  const { reference } = renewed.sources;
  if (reference !== null) reference.commit = commitOf(30);
  await spend(renewed);
  expect(github.issues).toMatchObject([{ state: "closed" }]);
});

test("the job that speaks for others tells of changes too", async () => {
  const heavier = { rssRatio: { api: 1.02 } };
  remember(days(0, 30).map((day) => nightOn(day, day < 24 ? {} : heavier)));
  mkdirSync(join(workspace, "measured"));
  writeSamples(join(workspace, "measured/samples.v1.json"), nightOn(30, heavier));
  const needs = JSON.stringify({ full: { result: "success", outputs: {} } });
  const { conclusion } = await spend(nightOn(30), { needs, "record-folder": "measured" });
  expect(conclusion).toEqual({ state: "success", headline: "all jobs went well" });
  expect(github.issues[0]?.title).toMatch(TITLE);
});

test("where it is not known what stands, the issue stays", async () => {
  const heavier = { rssRatio: { api: 1.02 } };
  remember(days(0, 30).map((day) => nightOn(day, day < 24 ? {} : heavier)));
  await spend(nightOn(30, heavier));
  github.failing = { operation: "tree", reason: "unavailable" };
  await spend(nightOn(31));
  github.failing = null;
  await runStep({
    event: "schedule",
    ref: "refs/heads/feature",
    samples: nightOn(32),
    inputs: { mode: "nightly" },
  });
  expect(github.issues).toMatchObject([
    { state: "open", title: expect.stringContaining("RSS after load") },
  ]);
});
