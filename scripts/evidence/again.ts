// The gated comparisons of a stored gate, by the rule as it is now. Pure.
import type { Samples } from "../../src/model/samples.ts";
import type { Comparison } from "../../src/model/verdict.ts";
import { compareAlongside } from "../../src/verdict/compare.ts";
import { gatingCount, listHypotheses } from "../../src/verdict/hypotheses.ts";
import type { StoredRun } from "./runs.ts";

export function gatedComparisons({ config, rounds }: Samples): Comparison[] {
  const all = listHypotheses(config);
  const gating = gatingCount(all);
  return all
    .filter(({ policy }) => policy.level === "gate")
    .map((hypothesis) =>
      compareAlongside({
        hypothesis,
        gating,
        policy: config.policy,
        rounds,
        waiver: null,
        fault: null,
      }),
    );
}

/** Whether the same hypotheses are red now as were then. What was invalid blamed nobody, whatever its rounds say. */
export function isSameAgain({ verdict, samples }: StoredRun): boolean {
  if (verdict === null || verdict.state === "invalid") return true;
  const red = gatedComparisons(samples)
    .filter(({ state }) => state === "regressed")
    .map(({ id }) => id);
  return red.sort().join() === [...verdict.regressed].sort().join();
}
