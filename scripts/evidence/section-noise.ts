// How much the log ratios of identical arms vary, whether an arm is at an advantage, and whether neighbours resemble each other.
import { median, robustSd, sampleSd } from "../../src/stats/dispersion.ts";
import { trimmedEstimate } from "../../src/stats/hodges-lehmann.ts";
import { trimmedInterval } from "../../src/stats/trimmed-shifts.ts";
import { renderByMachine } from "./machines.ts";
import { logRatios, type Stretch, type Terms } from "./pool.ts";
import { change, fixed, share, table } from "./words.ts";

export function renderNoise(stretches: readonly Stretch[], terms: Terms): string {
  const machineOfStretch = ({ machine }: Stretch): string => machine;
  return `${renderByMachine(stretches, machineOfStretch, (own) => tableOf(own, terms))}

*Robust sd*: 1.4826 · MAD. *Bias*: the trimmed Hodges-Lehmann estimate of candidate against reference, which are the same build, with its
exact interval. *Neighbours*: of two rounds that followed each other in one run, half should lie on the same side of the median; more means that
rounds resemble their neighbours and tests that take them for independent claim too much.`;
}

function tableOf(stretches: readonly Stretch[], terms: Terms): string {
  const turns = stretches.flatMap((stretch) => stretch.turns);
  const rows = terms.hypotheses.map(({ id }) => {
    const d = logRatios(turns, id);
    const { low, high } = trimmedInterval(d, 0.95);
    return [
      id,
      String(d.length),
      fixed(robustSd(d), 3),
      fixed(sampleSd(d), 3),
      d.length === 0 ? "" : `${change(trimmedEstimate(d))} [${change(low)}, ${change(high)}]`,
      sameSide(
        stretches.map((stretch) => logRatios(stretch.turns, id)),
        median(d),
      ),
    ];
  });
  return table(
    [
      "hypothesis",
      "rounds",
      "robust sd of d",
      "plain sd",
      "bias",
      "neighbours on the same side of the median",
    ],
    rows,
  );
}

/** As in the runs test (Wald & Wolfowitz, Ann. Math. Stat. 11, 1940), without its normal approximation. */
function sameSide(series: readonly (readonly number[])[], centre: number): string {
  let same = 0;
  let pairs = 0;
  for (const d of series) {
    for (let i = 1; i < d.length; i++) {
      pairs++;
      if ((d[i] as number) > centre === (d[i - 1] as number) > centre) same++;
    }
  }
  return share(same, pairs);
}
