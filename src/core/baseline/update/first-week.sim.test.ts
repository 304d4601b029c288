// The life of a service in the calendar of its baselines: when stored values begin to decide, and
// that they go on. A baseline is planned as the update job plans it, nights are recorded as the
// nightly records them.
import { expect, test } from "vitest";
import { nightly } from "../../../../test/support/baseline-update-cases.ts";
import { daysFrom, nightOf, timeOf } from "../../../../test/support/history.ts";
import { makeSteadySamples } from "../../../../test/support/stored.ts";
import { createPrng } from "../../base/prng.ts";
import type { Baseline } from "../../model/baseline.ts";
import type { HistoryRecord } from "../../model/history.ts";
import type { Samples } from "../../model/samples.ts";
import { judge } from "../../verdict/judge.ts";
import { planBaselineUpdate } from "./update.ts";

interface Life {
  /** Days on which a pull request is asked. */
  asked: readonly number[];
  /** Days between runs of the update job. */
  updatesEvery: number;
  /** Kernel of the machine on a day. */
  kernel?(day: number): string;
}

const KERNEL = "6.1.0";

function alone(day: number, kernel: string): Samples {
  const samples = makeSteadySamples({}, 16);
  samples.run = { ...samples.run, id: `alone-${day}`, startedAt: timeOf(day) };
  samples.host.fingerprint.kernel = kernel;
  return samples;
}

/** Of `asked`, the days on which stored values do not let pass what is as it was. */
function undecidedDays({ asked, updatesEvery, kernel = () => KERNEL }: Life): number[] {
  const prng = createPrng(7);
  const history: HistoryRecord[] = [];
  let stored: Baseline[] = [];
  const undecided: number[] = [];
  for (const day of daysFrom(0, Math.max(...asked))) {
    if (day % updatesEvery === 0) {
      const plan = planBaselineUpdate({ stored, fresh: alone(day, kernel(day)), history });
      if (plan.kind === "update") stored = plan.services.map(({ baseline }) => baseline);
    }
    // By day a pull request is asked, in the night the default branch.
    if (asked.includes(day)) {
      const samples = alone(day + 0.3, kernel(day));
      if (judge({ samples, baselines: stored, history }).state !== "pass") undecided.push(day);
    }
    const anchor = 302 * (1 + 0.003 * prng.next());
    history.push(nightOf({ day: day + 0.9, anchor, kernel: kernel(day) }));
  }
  return undecided;
}

test("a steady service with nights is decided by stored values within seven nights, however often baselines are looked at", () => {
  for (const updatesEvery of [1, 7]) {
    const undecided = undecidedDays({ asked: [...daysFrom(0, 9), 40], updatesEvery });
    expect(undecided, `every ${updatesEvery}`).toEqual(daysFrom(0, 5));
  }
});

test("a new kernel every sixty days costs the days until the next update, and no history", () => {
  const kernel = (day: number) => `6.${1 + Math.floor(day / 60)}.0`;
  const asked = [...daysFrom(58, 65), ...daysFrom(118, 128), ...daysFrom(179, 184)];
  // Updated on days 0, 7, 14 …: 63 follows the kernel of day 60, 126 that of day 120, 182 of 180.
  expect(undecidedDays({ asked, updatesEvery: 7, kernel })).toEqual([
    ...daysFrom(60, 62),
    ...daysFrom(120, 125),
    ...daysFrom(180, 181),
  ]);
});

test("a new build of the kernel leaves memory comparable: its days pass by that", () => {
  const kernel = (day: number) => `6.1.${Math.floor(day / 60)}`;
  expect(undecidedDays({ asked: daysFrom(58, 65), updatesEvery: 7, kernel })).toEqual([]);
});

test("without nights nothing is decided, and it is said what is missing", () => {
  const baselines = [planned(nightly(0))];
  const { state, causes } = judge({ samples: nightly(3), baselines });
  expect(state).toBe("inconclusive");
  expect(causes[0]?.finding).toMatchObject({ code: "no-drift", nights: 0, needed: 6 });
});

function planned(fresh: Samples): Baseline {
  const plan = planBaselineUpdate({ stored: [], fresh, history: [] });
  if (plan.kind !== "update" || plan.services[0] === undefined) throw new Error(plan.kind);
  return plan.services[0].baseline;
}

test("six nights and then none: soon nothing passes any more", () => {
  // The machine wanders by 1 % a night; the change is as much worse as its memory's margin.
  const prng = createPrng(11);
  let wrong = 0;
  let decided = 0;
  for (let trial = 0; trial < 40; trial++) {
    let level = 0;
    const history: HistoryRecord[] = [];
    const levels: number[] = [];
    for (const day of daysFrom(0, 30)) {
      level += 0.01 * (2 * prng.next() - 1);
      levels.push(level);
      if (day < 6) history.push(nightOf({ day, anchor: 302 * Math.exp(level) }));
    }
    const baseline = planned(alone(5.5, KERNEL));
    for (const day of [7, 12, 20, 29]) {
      const shift = Math.exp((levels[day] ?? 0) - (levels[5] ?? 0));
      const samples = makeSteadySamples({ rss: 1.05 * shift });
      samples.run = { ...samples.run, startedAt: timeOf(day + 0.5) };
      const { comparisons } = judge({ samples, baselines: [baseline], history });
      const rss = comparisons.find(({ metric }) => metric === "rss");
      if (rss?.finding.code !== "no-drift") decided++;
      if (rss?.state === "pass") wrong++;
    }
  }
  // Those of day 7 and 12; later nobody knows the drift. Five of them are wrong, where 30 % were as
  // long as an old history counted.
  expect(decided).toBe(80);
  expect(wrong).toBeLessThanOrEqual(8);
});
