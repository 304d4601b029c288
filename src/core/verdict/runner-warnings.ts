// What a calibration says of a run: limits that the runner cannot show, and noise beyond it.

import type { Caution } from "../model/caution.ts";
import type { Samples } from "../model/samples.ts";
import type { JudgedComparison } from "../model/verdict.ts";

/** Beyond the calibrated interval's upper end by this factor the machine is noisier. */
const NOISIER = 1.5;

export function runnerCautions(
  { runner }: Pick<Samples, "runner">,
  comparisons: readonly Pick<JudgedComparison, "id" | "sd" | "margin">[],
): Caution[] {
  return (runner?.expectations ?? []).flatMap(({ id, kept, margin: least, sd, sdHigh }) => {
    const comparison = comparisons.find((one) => one.id === id);
    if (comparison === undefined) return [];
    const cautions: Caution[] = [];
    if (!kept) {
      const { margin } = comparison;
      cautions.push({ code: "beyond-runner", comparison: id, margin, least });
    }
    if (comparison.sd !== null && comparison.sd > NOISIER * sdHigh) {
      const calibrated = { calibrated: sd, most: sdHigh };
      cautions.push({ code: "noisier", comparison: id, sd: comparison.sd, ...calibrated });
    }
    return cautions;
  });
}
