// What becomes of a run in the history.
import fc from "fast-check";
import { expect, test } from "vitest";
import { nightOf, pairedNight, recordNight, timeOf } from "../../../test/support/history.ts";
import { withLimits } from "../../../test/support/samples.ts";
import { reportOn } from "../../app/gate/outcome.ts";
import { HistoryRecordSchema, partsOfSeries, seriesId } from "../model/history.ts";
import { listHypotheses } from "../verdict/hypotheses.ts";
import {
  foldMonths,
  inOrder,
  isRunFile,
  monthOf,
  parseRecords,
  recordPath,
  renderRecord,
} from "./layout.ts";
import { historyRecord } from "./record.ts";

const SAMPLES = pairedNight(3, { rssRatio: { api: 1.02 } });

test("a record is of the run's own day, its commit and its anchor, with each judged series", () => {
  const place = { url: "https://github.com/acme/shop/actions/runs/7", parent: "f".repeat(40) };
  const record = historyRecord(SAMPLES, reportOn(SAMPLES, []), { ...place, shard: null });
  expect(HistoryRecordSchema.parse(JSON.parse(renderRecord(record)))).toEqual(record);
  expect(record).toMatchObject({
    run: { id: "night-3", url: place.url, startedAt: timeOf(3), shard: null },
    commit: { parent: place.parent, subject: "Change of day 3" },
    verdict: "pass",
    level: 0.9,
  });
  expect(Object.keys(record.series)).toEqual([
    "api/echo/p99Typical",
    "api/echo/p99",
    "api/hello/p99Typical",
    "api/hello/p99",
    "api/rss",
  ]);
  expect(Object.keys(record.workloads)).toEqual(["api/echo", "api/hello", "api"]);
  const rss = record.series["api/rss"];
  expect(rss?.ratio?.estimate).toBeCloseTo(Math.log(1.02), 2);
  expect(rss?.rounds).toBeGreaterThanOrEqual(5);
  expect((rss?.candidate ?? 0) / (rss?.anchor ?? 1)).toBeCloseTo(1.02, 2);
});

test("a series that a waiver lets through is named", () => {
  const config = {
    ...SAMPLES.config,
    waivers: [
      {
        metric: "rss" as const,
        estimator: null,
        scenario: null,
        service: "api",
        upTo: 0.5,
        reason: "a cache",
        owner: "@acme/api",
        expires: "2026-12-31",
      },
    ],
  };
  const heavier = pairedNight(3, { rssRatio: { api: 1.2 } });
  expect(recordNight({ ...heavier, config }).waived).toEqual(["api/rss"]);
  expect(recordNight(SAMPLES).waived).toBeUndefined();
});

test("the same samples give the same record", () => {
  expect(renderRecord(recordNight(structuredClone(SAMPLES)))).toBe(
    renderRecord(recordNight(SAMPLES)),
  );
});

test("what the host disturbed is no level, and the ratio stands", () => {
  const noisy = structuredClone(SAMPLES);
  for (const { host } of noisy.rounds.flatMap(({ scenarios }) =>
    scenarios.flatMap((s) => s.slices),
  )) {
    host.steal = 0.4;
  }
  const { series } = recordNight(noisy);
  expect(series["api/echo/p99"]).toMatchObject({ candidate: null, anchor: null });
  expect(series["api/echo/p99"]?.ratio).not.toBeNull();
  expect(series["api/rss"]?.anchor).not.toBeNull();
});

test("a run of no commit, or one that was killed, is refused", () => {
  const dirty = structuredClone(SAMPLES);
  dirty.sources.candidate.dirty = true;
  expect(() => recordNight(dirty)).toThrow("the candidate had uncommitted changes");
  const killed = { ...SAMPLES, run: { ...SAMPLES.run, state: "running" as const } };
  expect(() => recordNight(killed)).toThrow("run night-3 has not ended");
});

test("ids of series are taken apart as they were put together", () => {
  for (const hypothesis of listHypotheses(SAMPLES.config)) {
    const { service, scenario, policy } = hypothesis;
    const { metric, estimator } = policy;
    expect(partsOfSeries(seriesId(hypothesis))).toMatchObject({
      service,
      scenario,
      metric,
      estimator,
    });
  }
  expect(partsOfSeries("api/echo/unheardOf")).toBeNull();
});

test("each run has a path of its own, by its month", () => {
  const path = (id: string, shard: string | null = null) =>
    recordPath({ run: { id, url: null, startedAt: "2026-10-23T01:17:03.000Z", shard } });
  expect(path("20261023T011703Z-0badcafe")).toBe("runs/2026/10/20261023T011703Z-0badcafe.json");
  expect(path("20261023T011703Z-0badcafe", "2/3")).toBe(
    "runs/2026/10/20261023T011703Z-0badcafe-2-3.json",
  );
  expect(path("../../etc/passwd")).toBe("runs/2026/10/20261023T011703Z-..-..-etc-passwd.json");
  expect([path("a"), "2026-10.jsonl", "README.md", "runs/x.json"].map(monthOf)).toEqual([
    "2026-10",
    "2026-10",
    null,
    null,
  ]);
  expect([path("a"), "2026-10.jsonl"].map(isRunFile)).toEqual([true, false]);
});

const RECORDS = [3, 1, 40, 2, 41].map((day) => nightOf({ day }));

test("folded, every run is in its month once, whatever was folded before", () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(RECORDS, { minLength: 1 }), fc.nat(4), (some, first) => {
      const asFiles = (records: typeof RECORDS) =>
        records.map((record) => [recordPath(record), renderRecord(record)] as const);
      const before = foldMonths(new Map(asFiles(some.slice(0, first))));
      const months = foldMonths(new Map([...before, ...asFiles(some)]));
      const read = [...months].flatMap(([path, text]) => parseRecords(text, path));
      expect(inOrder(read)).toEqual(inOrder(some));
      expect(read).toHaveLength(some.length);
      expect(foldMonths(months)).toEqual(months);
    }),
  );
});

test("a damaged line is named, and never passed over", () => {
  const good = renderRecord(RECORDS[0] as (typeof RECORDS)[number]);
  for (const bad of ["{", "[]", '{"schema":"tailgate.history.v2"}', good.slice(0, 200)]) {
    expect(() => parseRecords(`${good}${bad}\n`, "2026-10.jsonl")).toThrow(
      "line 2 of 2026-10.jsonl is no record of the history: ",
    );
  }
});

test("a point has the limit that its metric was held to, and a limit makes a shown metric a series", () => {
  const samples = withLimits(pairedNight(3, { levels: "info" }), { rss: 2e9 });
  const { series } = recordNight(samples);
  expect(Object.keys(series)).toEqual(["api/rss"]);
  expect(series["api/rss"]).toMatchObject({ max: 2e9, ratio: { estimate: expect.any(Number) } });
});
