// What a runner's calibration says of a run: limits that it could not keep anyway, and noise beyond what it had then.
import type { Samples } from "../model/samples.ts";
import type { Comparison, Warning } from "../model/verdict.ts";
import { percentOf } from "./wording.ts";

/** Above the upper end of the calibrated interval by this much, the machine is not the quiet one it was. */
const NOISIER = 1.5;

export function runnerWarnings(
  { runner }: Pick<Samples, "runner">,
  comparisons: readonly Comparison[],
): Warning[] {
  if (runner === undefined) return [];
  return runner.expectations.flatMap((expected) => {
    const comparison = comparisons.find(({ id }) => id === expected.id);
    if (comparison === undefined) return [];
    const warnings: Warning[] = [];
    if (!expected.kept) {
      const least =
        expected.promise === null
          ? "it keeps no promise of up to 200 %"
          : `the closest promise it keeps is ${percentOf(Math.log1p(expected.promise))}`;
      warnings.push({
        kind: "runner",
        text: `${expected.id}: a promise of ${percentOf(Math.log1p(comparison.promise))} is closer than this runner was calibrated to show, and inconclusive is to be expected; ${least}.`,
      });
    }
    const { sd } = comparison;
    if (sd !== null && sd > NOISIER * expected.sdHigh) {
      warnings.push({
        kind: "runner",
        text: `${expected.id}: noise of ${sd.toFixed(3)} in a round's log ratio, where the calibration had ${expected.sd.toFixed(3)} (at most ${expected.sdHigh.toFixed(3)}): something disturbs this machine now. tailgate doctor --samples names what.`,
      });
    }
    return warnings;
  });
}
