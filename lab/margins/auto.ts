// What `margin: auto` finds and costs: profiles of 16 rounds drawn from recorded gates in which nothing
// was planted, and whole gates drawn from the others by the margins that each profile gives
// (docs/adr/0032). Configuration and limits are those of the last of these gates: `auto` is asked of
// what gated then.
//
//   node lab/margins/auto.ts [profiles] [gates of each] [rounds of a profile]
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
  config,
  cpuOf,
  draw,
  inOrder,
  memoryPoolOf,
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
  name: "as before, 10 us",
  isAuto: () => false,
  pace: "given",
  rounds: "p90",
  absoluteFloor: 10,
  wider: 1,
};
const auto: Setting = { ...usual, name: "auto", isAuto: CHEAP, absoluteFloor: 4 };
const SETTINGS: Setting[] = [
  usual,
  { ...usual, name: "as before, 4 us", absoluteFloor: 4 },
  auto,
  { ...auto, name: "auto, pace of all", pace: "all" },
  { ...auto, name: "auto, pace of medians", rounds: "median" },
  { ...auto, name: "auto, spread 1.25 times as wide", wider: 1.25 },
];

interface Half {
  pool: Pool;
  memory: Pool;
}

const isCalmOn =
  (cpu: string) =>
  (run: StoredRun): boolean =>
    run.kind === "aa-calm" && cpuOf(run) === cpu;

function halves(service: string, cpu: string): [Half, Half] {
  const calm = runs.filter(isCalmOn(cpu));
  const of = (parity: number): Half => {
    const isWanted = (run: StoredRun): boolean => {
      const index = calm.indexOf(run);
      return index >= 0 && index % 2 === parity;
    };
    return { pool: poolOf(service, isWanted), memory: memoryPoolOf(service, isWanted) };
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
  const gated = gatedOf(listHypotheses(config));
  return gated
    .filter((one) => one.service === service)
    .map((hypothesis) => {
      const values = valuesIn(hypothesis, isOfLaunches(hypothesis) ? launches : rounds);
      const d = values.map((value) => value.d);
      const rule = ruleOf(
        { ...hypothesis.policy, floor: effectiveFloor(hypothesis, values) },
        config.policy,
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

/** Of each question that is auto, by its id: the margin that a profile gives. */
function marginsBy(known: readonly Known[], setting: Setting): [string, number][] {
  return known
    .filter(({ hypothesis }) => setting.isAuto(hypothesis.policy))
    .map(({ hypothesis, d }) => {
      const paces = known
        .filter(
          ({ hypothesis: one }) =>
            one.service === hypothesis.service &&
            (setting.pace === "all" || !setting.isAuto(one.policy)),
        )
        .map((one) => one[setting.rounds]);
      const margin = closestMargin({
        d: d.map((value) => setting.wider * value),
        rounds: Math.max(...paces),
        most: hypothesis.policy.margin,
        beta: config.policy.beta,
        methodAt: (some) => methodOf(hypothesis, { margin: some }),
      });
      return [hypothesis.id, margin];
    });
}

function configBy(margins: readonly [string, number][], { absoluteFloor }: Setting): Config {
  const floored = (metrics: readonly MetricPolicy[]): MetricPolicy[] =>
    metrics.map((one) => (P99(one) ? { ...one, absoluteFloor } : one));
  const autoMargins = Object.fromEntries(
    margins.map(([id, margin]) => [id, { margin, calibratedAt: "" }]),
  );
  return {
    ...config,
    policy: { ...config.policy, metrics: floored(config.policy.metrics), autoMargins },
    scenarios: config.scenarios.map((one) => ({ ...one, metrics: floored(one.metrics) })),
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
    return { service, forProfile, forGates, overhead: overheadMs(service, isCalmOn(cpu)) };
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
    const margins = profiles.map((known) => marginsBy(known, setting));
    const asked = margins.map((own) => configBy(own, setting));
    const results = EFFECTS.map(([what, shiftOf]) => {
      const prng = createPrng(7);
      const minutes: number[] = [];
      const rounds: number[] = [];
      let red = 0;
      let open = 0;
      for (const config of asked) {
        for (let gate = 0; gate < GATES; gate++) {
          const of = parts
            .filter(({ service }) => what === "nothing" || what.startsWith(service))
            .map(({ service, forGates: { pool, memory }, overhead }) =>
              serviceGate(
                service,
                config,
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
    const chosen = [...Map.groupBy(margins.flat(), ([id]) => id)].map(([id, given]) => {
      const [low, half, high] = [0.1, 0.5, 0.9].map((q) =>
        (
          100 *
          inOrder(
            given.map(([, margin]) => margin),
            q,
          )
        ).toFixed(1),
      );
      return `${id} ${half} [${low}, ${high}]`;
    });
    console.log(
      `${cpu}, ${setting.name}: ${results.join("; ")}${chosen.length === 0 ? "" : `\n    ${chosen.join(", ")}`}`,
    );
  }
}
