// What `margin: auto` finds and costs: profiles of 16 rounds drawn from recorded gates in which nothing
// was planted, and whole gates drawn from the others by the margins that each profile gives
// (docs/adr/0032).
//
//   node lab/margins/auto.ts [profiles] [gates of each]
import { join } from "node:path";
import { loadConfig } from "../../src/app/config/load.ts";
import { createPrng } from "../../src/core/base/prng.ts";
import { closestMargin } from "../../src/core/calibration/auto-margin.ts";
import { costOfMargin, noiseLike } from "../../src/core/calibration/power.ts";
import type { Config, MetricPolicy } from "../../src/core/model/config.ts";
import { effectiveFloor } from "../../src/core/verdict/compare.ts";
import { ruleOf } from "../../src/core/verdict/decide.ts";
import {
  gatedOf,
  type Hypothesis,
  isOfLaunches,
  listHypotheses,
} from "../../src/core/verdict/hypotheses.ts";
import { methodOf } from "../../src/core/verdict/slow.ts";
import type { StoredRun } from "../evidence/runs.ts";
import {
  cpuOf,
  draw,
  inOrder,
  overheadMs,
  type Pool,
  poolOf,
  ROUNDS,
  runs,
  serviceGate,
  valuesIn,
} from "../slow/drawn-gates.ts";

const PROFILES = Number(process.argv[2] ?? 20);
const GATES = Number(process.argv[3] ?? 25);
const PROFILE_ROUNDS = Number(process.argv[4] ?? 16);
const MAX_ROUNDS = 70;
const SERVICES = ["axum-api", "gin-api"];

const ROOT = join(import.meta.dirname, "../..");
const TODAY = loadConfig(join(ROOT, "tailgate.yml"), ROOT);
const P99 = (one: MetricPolicy): boolean => one.metric === "p99" && one.estimator === "typical";
const CHEAP = (one: MetricPolicy): boolean =>
  P99(one) || one.metric === "cpuPer1k" || one.metric === "rssPeak";

interface Setting {
  name: string;
  isAuto(policy: MetricPolicy): boolean;
  /** Whose rounds set the pace: of all questions, or of those whose margin is given. */
  pace: "all" | "given";
  /** How many of them unchanged builds take. */
  rounds: "median" | "p90";
  /** Of p99, in microseconds. */
  absoluteFloor: number;
  /** What the spread of the profile is multiplied by. */
  wider: number;
}
const usual: Setting = {
  name: "as today, 10 us",
  isAuto: () => false,
  pace: "given",
  rounds: "p90",
  absoluteFloor: 10,
  wider: 1,
};
const auto: Setting = { ...usual, name: "auto", isAuto: CHEAP, absoluteFloor: 4 };
const SETTINGS: Setting[] = [
  usual,
  { ...usual, name: "as today, 4 us", absoluteFloor: 4 },
  auto,
  { ...auto, name: "auto, pace of all", pace: "all" },
  { ...auto, name: "auto, pace of medians", rounds: "median" },
  { ...auto, name: "auto, spread 1.25 times as wide", wider: 1.25 },
];

interface Half {
  pool: Pool;
  memory: Pool;
}

function halves(service: string, cpu: string): [Half, Half] {
  const wanted = runs.filter((run) => run.kind === "aa-calm" && cpuOf(run) === cpu);
  const of = (parity: number): Half => {
    const isWanted = (run: StoredRun): boolean =>
      wanted.indexOf(run) % 2 === parity && wanted.includes(run);
    const memory = runs
      .filter(isWanted)
      .map(({ samples }) =>
        samples.rounds.filter(
          (one) => one.service === service && one.launches?.candidate.values.rss !== undefined,
        ),
      )
      .filter((rounds) => rounds.length >= 3);
    return { pool: poolOf(service, isWanted), memory };
  };
  return [of(0), of(1)];
}

interface Known {
  hypothesis: Hypothesis;
  d: number[];
  median: number;
  p90: number;
}

/** What a calibration of so many rounds would say of each gated question of the service. */
function profileOf(service: string, { pool, memory }: Half, seed: number): Known[] {
  const prng = createPrng(seed);
  const rounds = draw(pool, PROFILE_ROUNDS, prng);
  const launches = draw(memory, PROFILE_ROUNDS, prng);
  const gated = gatedOf(listHypotheses(TODAY));
  return gated
    .filter((one) => one.service === service)
    .map((hypothesis) => {
      const values = valuesIn(hypothesis, isOfLaunches(hypothesis) ? launches : rounds);
      const d = values.map((value) => value.d);
      const rule = ruleOf(
        { ...hypothesis.policy, floor: effectiveFloor(hypothesis, values) },
        TODAY.policy,
        gated.length,
      );
      const method = methodOf(hypothesis, rule);
      const noise = noiseLike(d);
      const simulation = {
        noise,
        rule,
        method,
        maxRounds: MAX_ROUNDS,
        roundMs: 1,
        seed,
        trials: 200,
      };
      const { unchanged } = costOfMargin(simulation);
      return {
        hypothesis,
        d,
        median: unchanged.rounds?.median ?? 0,
        p90: unchanged.rounds?.p90 ?? 0,
      };
    });
}

const chosen = new Map<string, number[]>();

/** The configuration with the margins of a profile. */
function configBy(known: readonly Known[], setting: Setting): Config {
  const closer = (policy: MetricPolicy, own: readonly Known[]): MetricPolicy => {
    const withFloor = P99(policy) ? { ...policy, absoluteFloor: setting.absoluteFloor } : policy;
    if (!setting.isAuto(policy)) return withFloor;
    const margins = own
      .filter(
        ({ hypothesis: { policy: one } }) =>
          one.metric === policy.metric && one.estimator === policy.estimator,
      )
      .map(({ hypothesis, d }) => {
        const rounds = Math.max(
          ...known
            .filter(
              ({ hypothesis: one }) =>
                one.service === hypothesis.service &&
                (setting.pace === "all" || !setting.isAuto(one.policy)),
            )
            .map((one) => one[setting.rounds]),
        );
        return closestMargin({
          d: d.map((value) => setting.wider * value),
          rounds,
          most: policy.margin,
          beta: TODAY.policy.beta,
          methodAt: (margin) => methodOf(hypothesis, { margin }),
        });
      });
    if (margins.length === 0) return withFloor;
    const margin = Math.max(...margins);
    const key = `${own[0]?.hypothesis.scenario ?? own[0]?.hypothesis.service} ${policy.metric}`;
    chosen.set(key, [...(chosen.get(key) ?? []), margin]);
    return { ...withFloor, margin, floor: Math.min(policy.floor, margin / 2) };
  };
  const all = (own: readonly MetricPolicy[], mine: readonly Known[]): MetricPolicy[] =>
    TODAY.policy.metrics.map((general) => {
      const policy =
        own.find(
          ({ metric, estimator }) => metric === general.metric && estimator === general.estimator,
        ) ?? general;
      return closer(policy, mine);
    });
  return {
    ...TODAY,
    scenarios: TODAY.scenarios.map((scenario) => ({
      ...scenario,
      metrics: all(
        scenario.metrics,
        known.filter(
          ({ hypothesis }) =>
            hypothesis.scenario === scenario.id || hypothesis.among?.includes(scenario.id) === true,
        ),
      ),
    })),
    services: TODAY.services.map((service) => ({
      ...service,
      metrics: all(
        service.metrics ?? [],
        known.filter(
          ({ hypothesis }) =>
            hypothesis.scenario === null &&
            hypothesis.service === service.name &&
            hypothesis.among === undefined,
        ),
      ),
    })),
  };
}

const EFFECTS: [string, (one: Hypothesis) => number][] = [
  ["nothing", () => 0],
  ...SERVICES.flatMap((service): [string, (one: Hypothesis) => number][] => [
    [
      `${service}/echo +8 %`,
      (one) => (one.scenario === `${service}/echo` && P99(one.policy) ? Math.log1p(0.08) : 0),
    ],
    [
      `${service}/echo +3 %`,
      (one) => (one.scenario === `${service}/echo` && P99(one.policy) ? Math.log1p(0.03) : 0),
    ],
    [
      `${service}/process +10 %`,
      (one) => (one.scenario === `${service}/process` && P99(one.policy) ? Math.log1p(0.1) : 0),
    ],
  ]),
];

for (const cpu of ["Xeon", "EPYC"]) {
  const parts = SERVICES.map((service) => {
    const [forProfile, forGates] = halves(service, cpu);
    const isWanted = (run: StoredRun): boolean => run.kind === "aa-calm" && cpuOf(run) === cpu;
    return { service, forProfile, forGates, overhead: overheadMs(service, isWanted) };
  });
  const profiles = Array.from({ length: PROFILES }, (_, i) =>
    parts.flatMap(({ service, forProfile }) => profileOf(service, forProfile, i + 1)),
  );
  for (const one of ["median", "p90"] as const) {
    const slowest = SERVICES.map((service) =>
      inOrder(
        profiles.map((known) =>
          Math.max(
            ...known.filter(({ hypothesis }) => hypothesis.service === service).map((k) => k[one]),
          ),
        ),
        0.5,
      ),
    );
    console.log(`${cpu}: slowest question, ${one}: ${slowest.join(", ")} rounds`);
  }
  for (const setting of SETTINGS) {
    chosen.clear();
    const results = EFFECTS.map(([what, shiftOf]) => {
      const prng = createPrng(7);
      const minutes: number[] = [];
      const rounds: number[] = [];
      let red = 0;
      let open = 0;
      for (const known of profiles) {
        const asked = configBy(known, setting);
        for (let gate = 0; gate < GATES; gate++) {
          const of = parts
            .filter(({ service }) => what === "nothing" || what.startsWith(service))
            .map(({ service, forGates: { pool, memory }, overhead }) =>
              serviceGate(
                service,
                asked,
                draw(pool, ROUNDS, prng),
                draw(memory, ROUNDS, prng),
                overhead,
                shiftOf,
              ),
            );
          const answers = of.flatMap((part) => part.answers);
          const reds = answers
            .filter(({ state }) => state === "regressed")
            .map((one) => one.rounds);
          const last =
            reds.length > 0 ? Math.min(...reds) : Math.max(...answers.map((one) => one.rounds));
          minutes.push(of.reduce((sum, { untilMs }) => sum + (untilMs[last] ?? 0), 0) / 60_000);
          rounds.push(last);
          if (reds.length > 0) red++;
          else if (answers.some(({ state }) => state === "open")) open++;
        }
      }
      const n = minutes.length;
      return what === "nothing"
        ? `${inOrder(minutes, 0.5).toFixed(2)} (${inOrder(minutes, 0.9).toFixed(2)}) min, ${inOrder(rounds, 0.5)} (${inOrder(rounds, 0.9)}) rounds, red ${((100 * red) / n).toFixed(1)} %, open ${((100 * open) / n).toFixed(1)} %`
        : `${what} red ${((100 * red) / n).toFixed(0)} %`;
    });
    const margins = [...chosen].map(
      ([key, all]) =>
        `${key} ${(100 * inOrder(all, 0.5)).toFixed(1)} [${(100 * inOrder(all, 0.1)).toFixed(1)}, ${(100 * inOrder(all, 0.9)).toFixed(1)}]`,
    );
    console.log(
      `${cpu}, ${setting.name}: ${results.join("; ")}${margins.length === 0 ? "" : `\n    ${margins.join(", ")}`}`,
    );
  }
}
