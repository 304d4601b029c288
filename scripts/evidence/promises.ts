// Each promise beside what is there to show for it, and whether that is enough. Real gates only: resampling a small pool many times shows
// nothing about other hours.
import { listHypotheses } from "../../src/verdict/hypotheses.ts";
import type { StoredRun } from "./runs.ts";
import type { Alarms } from "./section-alarms.ts";
import { lowerBound, share, table, upperBound } from "./words.ts";

/** What is promised: of the chance of a find, and of a false alarm. */
export const FOUND = 0.95;
const FALSE = 0.01;

export function renderPromises(runs: readonly StoredRun[], alarms: Alarms): string {
  const real = [...alarms.whole, ...alarms.twoBuilds, ...alarms.small].filter(
    ({ state }) => state !== "invalid",
  );
  const verdicts = [...real, ...alarms.disjoint];
  const red = verdicts.filter(({ state }) => state === "regressed").length;
  const realRed = real.filter(({ state }) => state === "regressed").length;
  const rows = [
    [
      "at most 1 % of pull requests falsely blocked",
      `${real.length} real A/A gates, ${realRed} red; ${alarms.disjoint.length} disjoint pull requests out of rounds without a verdict, ${red - realRed} red`,
      word({
        enough: verdicts.length > 0 && upperBound(red, verdicts.length) <= FALSE,
        against: verdicts.length > 0 && lowerBound(red, verdicts.length) > FALSE,
      }),
    ],
    found(runs, "p99", 0.1, "+10 % p99 found in 95 of 100"),
    found(runs, "rss", 0.05, "+5 % RSS found in 95 of 100"),
    found(
      runs,
      "p99",
      0.05,
      "+5 % p99 found in 95 of 100 within the gate's time budget, where 5 % is the promise",
    ),
  ];
  return `${table(["promise", "what there is", "shown at 95 % confidence?"], rows)}

*No*: the data contradict it. *Not yet*: they neither show nor contradict it. To show a rate of at most 1 % takes 299 independent verdicts without an alarm; 95 of
100 takes 59 finds of 59.`;
}

function found(
  runs: readonly StoredRun[],
  metric: string,
  effect: number,
  promise: string,
): string[] {
  const gates = runs
    .filter(({ verdict }) => verdict !== null && verdict.state !== "invalid")
    .flatMap((run) =>
      run.plants
        .filter((plant) => plant.effect === effect)
        .filter(({ finds }) =>
          finds.some((id) => id.includes(metric) && isPromised(run, id, effect)),
        )
        .map(({ finds }) => finds.some((id) => run.verdict?.regressed.includes(id))),
    );
  const hits = gates.filter((isFound) => isFound).length;
  const enough = gates.length > 0 && lowerBound(hits, gates.length) >= FOUND;
  const against = gates.length > 0 && upperBound(hits, gates.length) < FOUND;
  const seen = gates.length === 0 ? "no gate yet" : `found in ${share(hits, gates.length)} gates`;
  return [promise, seen, word({ enough, against })];
}

/** A gate may pass what is less than its promise. */
const isPromised = ({ samples }: StoredRun, id: string, effect: number): boolean =>
  listHypotheses(samples.config).some((one) => one.id === id && one.policy.promise <= effect);

function word({ enough, against }: { enough: boolean; against: boolean }): string {
  if (enough) return "yes";
  return against ? "**no**" : "not yet";
}
