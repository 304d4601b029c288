// What is said of wrk2's own part in a result, and of nothing else.
import { expect, test } from "vitest";
import { makeSamples } from "../../test/support/samples.ts";
import { generatorWarnings } from "./generator-warnings.ts";

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
  expect(generatorWarnings(makeSamples({ rounds: 2, noise: 0.01 }))).toEqual([]);
});

test("the median over slices, of the scenario that has it", () => {
  const [warning, ...others] = generatorWarnings(withSlack((i) => (i === 0 ? 90_000 : 740)));
  expect(others).toEqual([]);
  expect(warning).toMatchObject({ kind: "generator" });
  expect(warning?.text).toMatch(
    /^api\/echo: wrk2 itself made latencies 0\.74 ms longer on average/,
  );
});

test("void slices say nothing", () => {
  const samples = withSlack((i) => (i % 2 === 0 ? 5000 : 700));
  const slices = samples.rounds.flatMap(({ scenarios }) => scenarios.flatMap((one) => one.slices));
  for (const slice of slices) {
    if (slice.slackUs === 5000) slice.void = { rule: "steal", detail: "" };
  }
  expect(generatorWarnings(samples)[0]?.text).toContain("0.70 ms");
});
