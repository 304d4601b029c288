// node lab/changes/power.ts: how soon changes are found, by how exactly a night measures.
import { changePoints } from "../../src/core/stats/change-points.ts";
import { robustSd } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { makeNights, recordedRounds } from "./nights.ts";

const TRIALS = 50;
const BEFORE = 40;
const QUESTION = "axum-api/echo p99 typical";

const CHANGES: Readonly<Record<string, (since: number) => number>> = {
  "+3 % at once": () => Math.log(1.03),
  "+5 % at once": () => Math.log(1.05),
  "+10 % at once": () => Math.log(1.1),
  "+1 % a night": (since) => Math.log(1.01) * (since + 1),
};

const recorded = recordedRounds().get(QUESTION) ?? [];
console.log("| standard error of a night | change | in 10 nights | in 21 nights | median nights |");
console.log("|---|---|---|---|---|");
for (const error of [0.015, 0.02, 0.03]) {
  const rounds = Math.ceil((robustSd(recorded) / error) ** 2);
  for (const [name, change] of Object.entries(CHANGES)) {
    const nights = Array.from({ length: TRIALS }, (_, seed) => {
      const shift = (night: number): number => (night < BEFORE ? 0 : change(night - BEFORE));
      const series = makeNights(recorded, { nights: BEFORE + 21, rounds, seed, shift });
      const found = changePoints(series, { seed }).at(0)?.foundAfter;
      return found === undefined ? Number.MAX_VALUE : found - BEFORE;
    });
    const within = (most: number): string =>
      `${((100 * nights.filter((one) => one <= most).length) / TRIALS).toFixed(0)} %`;
    const middle = quantile(sortSample(nights), 0.5);
    const typical = middle > 21 ? "–" : String(middle);
    console.log(
      `| ${(100 * error).toFixed(1)} % (${rounds} rounds) | ${name} | ${within(10)} | ${within(21)} | ${typical} |`,
    );
  }
}
