// What a simulated month of drift does to screens against a stored baseline.
import { CASES, MONTH_DAYS, simulateMonths } from "./drift.ts";
import { percent, share, table } from "./words.ts";

const SEED = 20261121;

export function renderDrift(months: number): string {
  const rows = CASES.map(({ title, month }) => {
    const { pullRequests, wrongPasses, needlessReplays, falseAlarms } = simulateMonths(
      month,
      months,
      SEED,
    );
    return [
      title,
      `${percent(month.daily)} ${month.wander === "walk" ? "a day, adding up" : "about one level"}`,
      share(wrongPasses, pullRequests),
      percent(needlessReplays / pullRequests),
      percent(falseAlarms / pullRequests, 2),
    ];
  });
  return `${months} months of ${MONTH_DAYS} days, a pull request of each sort a day; seeded. Simulated days, the program's own screen and its own drift margin:

${table(["metric", "drift (sd)", "worse by the promise, passed by the screen", "unchanged, measured alongside after all", "unchanged, red with `--compare stored`"], rows)}

A pass that is wrong may happen with a chance of at most β = 5 %. Where the drift is near the promise the screen passes little, and nearly every pull
request is measured alongside: that costs time and no truth. The margin covers 95 % of the changes between records, so a day beyond it can turn an unchanged pull
request red when nothing is measured alongside. The last row is what a baseline is worth that nobody renews.`;
}
