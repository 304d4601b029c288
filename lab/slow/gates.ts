// Whole gates drawn from recorded rounds: how long an unchanged commit takes and what a stall comes to,
// with slow answers asked of scenarios alone and of services too (docs/adr/0028).
//
//   node lab/slow/gates.ts [gates]
import { createPrng } from "../../src/core/base/prng.ts";
import type { Config } from "../../src/core/model/config.ts";
import type { Round } from "../../src/core/model/samples.ts";
import { gatedOf, listHypotheses } from "../../src/core/verdict/hypotheses.ts";
import { readSeries } from "../../src/core/verdict/series.ts";
import type { StoredRun } from "../evidence/runs.ts";
import {
  answerOf,
  config,
  cpuOf,
  draw,
  inOrder,
  memoryPoolOf,
  overheadMs,
  type Pool,
  poolOf,
  ROUNDS,
  serviceGate,
} from "./drawn-gates.ts";

const GATES = Number(process.argv[2] ?? 500);
const SERVICES = ["axum-api", "gin-api"];

const RULES: Readonly<Record<string, Config>> = {
  "scenarios alone": { ...config, policy: { ...config.policy, slowOfServices: undefined } },
  "services too": { ...config, policy: { ...config.policy, slowOfServices: true } },
};

function unchanged(cpu: string, kind: string, asked: Config): string {
  const isWanted = (run: StoredRun): boolean => run.kind === kind && cpuOf(run) === cpu;
  const prng = createPrng(1);
  const services = SERVICES.map((service) => ({
    service,
    pool: poolOf(service, isWanted),
    memory: memoryPoolOf(service, isWanted),
    overhead: overheadMs(service, isWanted),
  }));
  const minutes: number[] = [];
  const rounds: number[] = [];
  let red = 0;
  let open = 0;
  for (let gate = 0; gate < GATES; gate++) {
    const parts = services.map(({ service, pool, memory, overhead }) =>
      serviceGate(service, asked, draw(pool, ROUNDS, prng), draw(memory, ROUNDS, prng), overhead),
    );
    const answers = parts.flatMap((part) => part.answers);
    const reds = answers.filter(({ state }) => state === "regressed").map((one) => one.rounds);
    const last =
      reds.length > 0 ? Math.min(...reds) : Math.max(...answers.map((one) => one.rounds));
    minutes.push(parts.reduce((sum, { untilMs }) => sum + (untilMs[last] ?? 0), 0) / 60_000);
    rounds.push(last);
    if (reds.length > 0) red++;
    else if (answers.some(({ state }) => state === "open")) open++;
  }
  return `${inOrder(minutes, 0.5).toFixed(2)} (${inOrder(minutes, 0.9).toFixed(2)}) min, ${inOrder(rounds, 0.5)} rounds; red ${share(red)}, open ${share(open)}`;
}

/** Of one service, with its slow answers alone; `of`: where each scenario's rounds come from. */
function slowAlone(service: string, asked: Config, of: Readonly<Record<string, Pool>>): string {
  const prng = createPrng(1);
  const gating = gatedOf(listHypotheses(asked)).filter((one) => one.service === service).length;
  const slow = listHypotheses(asked).filter(
    (one) => one.service === service && one.policy.metric === "slow",
  );
  const reds: number[] = [];
  let open = 0;
  for (let gate = 0; gate < GATES; gate++) {
    // A stall that one scenario meets in a round another does not: what comes from one gate stays together.
    const drawn = new Map(
      [...new Set(Object.values(of))].map((pool) => [pool, draw(pool, ROUNDS, prng)]),
    );
    const rounds = Array.from({ length: ROUNDS }, (_, k): Round => {
      const parts = Object.entries(of).map(
        ([id, pool]) => [id, drawn.get(pool)?.[k] as Round] as const,
      );
      return {
        ...(parts[0]?.[1] as Round),
        scenarios: parts.flatMap(([id, own]) =>
          own.scenarios.filter(({ scenario }) => scenario === id),
        ),
      };
    });
    const answers = slow.map((one) => answerOf(one, readSeries(one, rounds).values, asked, gating));
    const red = answers.filter(({ state }) => state === "regressed").map((one) => one.rounds);
    if (red.length > 0) reds.push(Math.min(...red));
    else if (answers.some(({ state }) => state === "open")) open++;
  }
  const after = reds.length === 0 ? "" : ` after ${inOrder(reds, 0.5)} (${inOrder(reds, 0.9)})`;
  return `red ${share(reds.length)}${after}${open === 0 ? "" : `, open ${share(open)}`}`;
}

const share = (count: number): string => `${((100 * count) / GATES).toFixed(1)} %`;

for (const kind of ["aa-calm", "aa-disturbed"]) {
  for (const cpu of ["Xeon", "EPYC"]) {
    for (const [name, asked] of Object.entries(RULES)) {
      console.log(`${kind}, ${cpu}, ${name}: ${unchanged(cpu, kind, asked)}`);
    }
  }
}
for (const service of SERVICES) {
  const planted = poolOf(
    service,
    ({ kind, plant }) =>
      kind === "stall-150ms-every-3s" &&
      plant?.service === service &&
      plant.faults?.includes("route") !== true,
  );
  const calm = poolOf(service, (run) => run.kind === "aa-calm" && cpuOf(run) === "EPYC");
  const [echo = "", process = ""] = config.scenarios
    .filter((one) => one.service === service)
    .map(({ id }) => id);
  const rare = poolOf(
    service,
    ({ kind, plant }) => kind === "one-in-200-by-20ms" && plant?.service === service,
  );
  const cases: [string, Record<string, Pool>][] = [
    ["150 ms every 3 s", { [echo]: planted, [process]: planted }],
    [`the same in ${echo} alone`, { [echo]: planted, [process]: calm }],
    [`the same in ${process} alone`, { [echo]: calm, [process]: planted }],
    ["1 request in 200 by 20 ms", { [echo]: rare, [process]: rare }],
    ["nothing", { [echo]: calm, [process]: calm }],
  ];
  for (const [what, of] of cases) {
    for (const [name, asked] of Object.entries(RULES)) {
      console.log(`${service}, ${what}, ${name}: ${slowAlone(service, asked, of)}`);
    }
  }
}
