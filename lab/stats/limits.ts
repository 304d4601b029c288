// How much room a limit needs: every recorded gate without a plant, held to a limit so far above the
// median of its commit on its model of machine. The limit is not to be broken.
//
//   node lab/stats/limits.ts
import { median, robustSd } from "../../src/core/stats/dispersion.ts";
import { decide, ruleOf } from "../../src/core/verdict/decide.ts";
import { askedOf, gatedOf, type Hypothesis } from "../../src/core/verdict/hypotheses.ts";
import { readSeries } from "../../src/core/verdict/series.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import { readRuns, type StoredRun } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

const ROOMS = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 1];
const FEWEST_GATES = 8;

interface Row {
  group: string;
  kind: string;
  hypothesis: Hypothesis;
  run: StoredRun;
  level: number;
}

function rowsOf(run: StoredRun): Row[] {
  const { samples, commit, plant } = run;
  if (plant !== null) return [];
  return gatedOf(askedOf(samples)).flatMap((hypothesis): Row[] => {
    const { values } = readSeries(hypothesis, samples.rounds);
    if (values.length < 5) return [];
    const level = median(values.map(({ candidate }) => candidate));
    const { metric, estimator } = hypothesis.policy;
    const group = `${samples.host.fingerprint.cpuModel} ${commit} ${hypothesis.id}`;
    return [{ group, kind: `${metric} ${estimator}`, hypothesis, run, level }];
  });
}

function stateAt({ hypothesis, run }: Row, value: number): string {
  const max = { value, level: "gate" as const };
  const held: Hypothesis = {
    ...hypothesis,
    policy: { ...hypothesis.policy, max },
    against: "limit",
  };
  const { policy } = run.samples.config;
  const rule = ruleOf({ margin: 0, tolerance: 0, floor: 0 }, policy, 10);
  const { values } = readSeries(held, run.samples.rounds);
  return decide(values, rule, methodOf(hypothesis, rule)).state;
}

const groups = [...Map.groupBy(readRuns(RUNS).flatMap(rowsOf), ({ group }) => group).values()];
const large = groups.filter((own) => own.length >= FEWEST_GATES);
for (const [kind, some] of Map.groupBy(large, ([first]) => first?.kind ?? "")) {
  const spread = median(some.map((own) => robustSd(own.map(({ level }) => Math.log(level)))));
  console.log(
    `\n${kind}: ${some.length} groups, ${some.flat().length} gates, sd ${spread.toFixed(3)}`,
  );
  for (const room of ROOMS) {
    const states = some.flatMap((own) => {
      const usual = median(own.map(({ level }) => level));
      return own.map((row) => stateAt(row, usual * (1 + room)));
    });
    const count = (wanted: string): number => states.filter((one) => one === wanted).length;
    console.log(
      `| +${100 * room} % | ${count("regressed")} red | ${count("pass")} pass | ${count("open")} open |`,
    );
  }
}
