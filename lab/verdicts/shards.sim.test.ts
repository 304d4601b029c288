// A recorded run dealt into shards as three machines would have measured it: merged it has the same
// verdict, and the longest third took about a third of the time.
import { expect, test } from "vitest";
import type { Round, Samples } from "../../src/core/model/samples.ts";
import { spreadOverShards } from "../../src/core/plan/shards.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { mergeShards } from "../../src/core/verdict/merge-shards.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

const wallMs = (rounds: readonly Round[]): number =>
  rounds.reduce((sum, { startedAtMs, endedAtMs }) => sum + endedAtMs - startedAtMs, 0);

function dealt({ config, run, ...samples }: Samples) {
  const spread = spreadOverShards(config, 3);
  return spread.map(({ services, ...shard }, i) => ({
    name: `shard-${i + 1}`,
    samples: {
      ...samples,
      config,
      run: { ...run, shard: { index: i + 1, of: spread.length, ...shard } },
      rounds: samples.rounds.filter(
        ({ service, index }) => services.includes(service) && index % shard.parts === shard.part,
      ),
    },
  }));
}

test("three thirds of a recorded run have its verdict", { timeout: 120_000 }, () => {
  const full = readRuns(RUNS).filter(({ kind }) => kind === "full");
  expect(full.length).toBeGreaterThan(4);
  for (const { name, samples } of full) {
    const shards = dealt(samples);
    const merged = mergeShards(shards.toReversed(), samples.config);
    const [whole, again] = [samples, merged.samples].map((one) =>
      judge({ samples: one, baselines: [] }),
    );
    expect(again?.state, name).toBe(whole?.state);
    expect(again?.comparisons, name).toEqual(whole?.comparisons);
    const longest = Math.max(...shards.map((shard) => wallMs(shard.samples.rounds)));
    const share = longest / wallMs(samples.rounds);
    expect(share, name).toBeLessThan(0.4);
  }
});
