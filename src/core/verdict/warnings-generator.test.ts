// What is said of wrk2's own part in a result, and of nothing else.
import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Caution } from "../model/fault.ts";
import type { Samples } from "../model/samples.ts";
import { describeCaution } from "../report/words/cautions.ts";
import { askedOf } from "./hypotheses.ts";
import { generatorCautions } from "./warnings.ts";

const cautionsOf = (samples: Samples): Caution[] => generatorCautions(samples, askedOf(samples));

function withSlack(slackUs: (slice: number) => number) {
  const samples = makeSamples({ rounds: 2, noise: 0.01 });
  let slice = 0;
  for (const entry of samples.rounds.flatMap(({ scenarios }) => scenarios)) {
    if (entry.scenario !== "api/echo") continue;
    for (const one of entry.slices) one.slackUs = slackUs(slice++);
  }
  return samples;
}

test("a result without it is not spoken of", () => {
  expect(cautionsOf(makeSamples({ rounds: 2, noise: 0.01 }))).toEqual([]);
});

test("the median over slices, of the scenario that has it", () => {
  const [warning, ...others] = cautionsOf(withSlack((i) => (i === 0 ? 90_000 : 740)));
  expect(others).toEqual([]);
  expect(warning).toMatchObject({ code: "generator-slack", scenario: "api/echo", slackUs: 740 });
});

test("void slices say nothing", () => {
  const samples = withSlack((i) => (i % 2 === 0 ? 5000 : 700));
  const slices = samples.rounds.flatMap(({ scenarios }) => scenarios.flatMap((one) => one.slices));
  for (const slice of slices) {
    if (slice.slackUs === 5000) slice.void = { rule: "steal", detail: "" };
  }
  expect(cautionsOf(samples)).toMatchObject([{ slackUs: 700 }]);
});

test("the smallest change that gates, in the service's own terms", () => {
  const samples = withSlack(() => 700);
  const slices = samples.rounds.flatMap(({ scenarios }) => scenarios.flatMap((one) => one.slices));
  for (const { latency } of slices) {
    if (latency !== null) Object.assign(latency, { p50: 900, p99: 2000 });
  }
  const [caution] = cautionsOf(samples);
  expect(caution).toMatchObject({
    least: { metric: "p99", estimator: "typical", change: 0.1, valueUs: 2000 },
  });
  expect(caution && describeCaution(caution, new Map())).toBe(
    "api/echo: wrk2 itself added 700 µs of the median of 900 µs: its timers tick in milliseconds. The margin, 10 % of its p99 of 2.00 ms, is 200 µs a request, 100 % of the 200 µs left for the service: smaller changes can pass. oha sees smaller ones.",
  );
  const [ungated] = generatorCautions(samples, []);
  expect(ungated).not.toHaveProperty("least");
  expect(ungated && describeCaution(ungated, new Map())).toMatch(/tick in milliseconds\.$/);
});
