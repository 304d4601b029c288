// Tables of `noise.ts measure`: a slice's requests cut after the fact into windows of other
// lengths, on the rounds of one recording.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import type { Arm } from "../../src/core/model/samples.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { quantile, sortSample } from "../../src/core/stats/quantile.ts";
import { decimals, pairedRatio, percent, plain, robust, shown, unpairedRatio } from "./compare.ts";
import { lowerShare, softLower } from "./estimators.ts";
import { loadRounds, type RecordedRound, type SliceRequests } from "./recording.ts";

const NORMAL = "as the gate";
const UNPINNED = "any CPU";

/**
 * Latencies by stretches of the slice, each `lengthMs` by release; the rest at its end goes to the
 * last whole one.
 */
function windowsOf({ releaseUs, latencyUs }: SliceRequests, lengthMs: number): number[][] {
  const lastUs = releaseUs[releaseUs.length - 1] ?? 0;
  const count = Math.max(1, Math.floor(lastUs / 1000 / lengthMs + 0.1));
  const windows = Array.from({ length: count }, () => [] as number[]);
  for (const [i, at] of releaseUs.entries()) {
    windows[Math.min(count - 1, Math.floor(at / 1000 / lengthMs))]?.push(latencyUs[i] as number);
  }
  return windows.filter((window) => window.length > 0);
}

/** The same by number: each window has at least so many requests, or is the whole slice. */
function windowsOfRequests({ latencyUs }: SliceRequests, least: number): Float64Array[] {
  const count = Math.max(1, Math.floor(latencyUs.length / least));
  const startOf = (k: number): number => Math.floor((k * latencyUs.length) / count);
  return Array.from({ length: count }, (_, k) => latencyUs.slice(startOf(k), startOf(k + 1)));
}

type Latencies = ArrayLike<number>;

const p99 = (latencies: Latencies): number => quantile(sortSample(latencies), 0.99);
const logP99 = (latencies: Latencies): number => Math.log(p99(latencies));

/**
 * Harrell & Davis (Biometrika 69, 1982): the mean of all order statistics with the weights of
 * Beta(p(n + 1), (1 − p)(n + 1)); here its density at the middle of each step of 1/n, scaled to add
 * up to 1.
 */
function logHarrellDavis(latencies: Latencies): number {
  const p = 0.99;
  const sorted = sortSample(latencies);
  const n = sorted.length;
  const [a, b] = [p * (n + 1), (1 - p) * (n + 1)] as const;
  const logs = Array.from({ length: n }, (_, i) => {
    const x = (i + 0.5) / n;
    return (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x);
  });
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return Math.log(
    weights.reduce((sum, weight, i) => sum + weight * (sorted[i] as number), 0) / total,
  );
}

/** From an arm's slices to the log of its p99. */
type LevelOf = (slices: readonly SliceRequests[]) => number;

const slicesOf = (slices: readonly SliceRequests[]): Float64Array[] =>
  slices.map(({ latencyUs }) => latencyUs);
const cut = (slices: readonly SliceRequests[], lengthMs: number): number[][] =>
  slices.flatMap((slice) => windowsOf(slice, lengthMs));

/** The p99 of all requests of the windows whose own p99s are the lower half. */
function pooledQuiet(windows: readonly (readonly number[])[]): number {
  const keyed = windows
    .map((window) => ({ window, key: p99(window) }))
    .sort((a, b) => a.key - b.key);
  const quiet = keyed.slice(0, Math.ceil(keyed.length / 2)).flatMap(({ window }) => [...window]);
  return logP99(quiet);
}

/** What the others are held against: the gate's before ADR 13. */
const BEFORE = "slices, quieter half";
const pooledAll: LevelOf = (slices) =>
  logP99(slicesOf(slices).flatMap((latencies) => [...latencies]));
const ESTIMATORS: Readonly<Record<string, LevelOf>> = {
  [BEFORE]: (slices) => lowerShare(slicesOf(slices).map(logP99), 0.5),
  "slices, quieter quarter": (slices) => lowerShare(slicesOf(slices).map(logP99), 0.25),
  "slices, power mean -8": (slices) => softLower(slicesOf(slices).map(logP99), 8),
  "slices, Harrell-Davis, quieter half": (slices) =>
    lowerShare(
      slicesOf(slices).map((latencies) => logHarrellDavis(latencies)),
      0.5,
    ),
  "240 ms, quieter half": (slices) => lowerShare(cut(slices, 240).map(logP99), 0.5),
  "120 ms, quieter half": (slices) => lowerShare(cut(slices, 120).map(logP99), 0.5),
  "100 ms, quieter half": (slices) => lowerShare(cut(slices, 100).map(logP99), 0.5),
  "60 ms, quieter half": (slices) => lowerShare(cut(slices, 60).map(logP99), 0.5),
  "240 ms, quieter quarter": (slices) => lowerShare(cut(slices, 240).map(logP99), 0.25),
  "120 ms, quieter quarter": (slices) => lowerShare(cut(slices, 120).map(logP99), 0.25),
  "120 ms, quieter 3/4": (slices) => lowerShare(cut(slices, 120).map(logP99), 0.75),
  "120 ms, Harrell-Davis, quieter half": (slices) =>
    lowerShare(
      cut(slices, 120).map((latencies) => logHarrellDavis(latencies)),
      0.5,
    ),
  "240 ms, pooled quieter half": (slices) => pooledQuiet(cut(slices, 240)),
  "120 ms, pooled quieter half": (slices) => pooledQuiet(cut(slices, 120)),
  "60 ms, pooled quieter half": (slices) => pooledQuiet(cut(slices, 60)),
  "pooled, all": pooledAll,
};

const BY_REQUESTS: Readonly<Record<string, LevelOf>> = Object.fromEntries(
  [100, 120, 150, 200, 300, 460, Number.POSITIVE_INFINITY].map((least) => [
    least === Number.POSITIVE_INFINITY ? "whole slices" : `${least} requests`,
    (slices: readonly SliceRequests[]) =>
      lowerShare(slices.flatMap((slice) => windowsOfRequests(slice, least)).map(logP99), 0.5),
  ]),
);

/**
 * What a candidate's requests become. Each gets an arm's slices and a generator of random numbers.
 */
type Plant = (slices: readonly SliceRequests[], prng: Prng) => SliceRequests[];
const PLANTS: Readonly<Record<string, Plant>> = {
  "all +10 %": (slices) => mapped(slices, (latency) => latency * 1.1),
  "2 % of requests doubled": (slices, prng) =>
    mapped(slices, (latency) => (prng.next() < 0.02 ? latency * 2 : latency)),
  "5 % of requests doubled": (slices, prng) =>
    mapped(slices, (latency) => (prng.next() < 0.05 ? latency * 2 : latency)),
  "1 % slower by 1 ms": (slices, prng) =>
    mapped(slices, (latency) => (prng.next() < 0.01 ? latency + 1000 : latency)),
  "2 % slower by 1 ms": (slices, prng) =>
    mapped(slices, (latency) => (prng.next() < 0.02 ? latency + 1000 : latency)),
  "a stop of 5 ms in 250 ms": (slices) => stalled(slices, { everyUs: 250_000, stallUs: 5_000 }),
  "a stop of 20 ms in 1 s": (slices) => stalled(slices, { everyUs: 1_000_000, stallUs: 20_000 }),
};

function mapped(
  slices: readonly SliceRequests[],
  change: (latencyUs: number) => number,
): SliceRequests[] {
  return slices.map((slice) => ({ ...slice, latencyUs: slice.latencyUs.map(change) }));
}

/**
 * Requests released while the service stands still wait for its end; the clock of stops runs on
 * from slice to slice.
 */
function stalled(
  slices: readonly SliceRequests[],
  { everyUs, stallUs }: { everyUs: number; stallUs: number },
): SliceRequests[] {
  let clockUs = 0;
  return slices.map(({ releaseUs, latencyUs }) => {
    const beganUs = clockUs;
    clockUs += releaseUs[releaseUs.length - 1] ?? 0;
    return {
      releaseUs,
      latencyUs: latencyUs.map((latency, i) => {
        const inStop = (beganUs + (releaseUs[i] as number) + everyUs / 2) % everyUs;
        return inStop < stallUs ? latency + stallUs - inStop : latency;
      }),
    };
  });
}

/** What a scenario's slices take of a round. */
function secondsOf(rounds: readonly RecordedRound[]): number {
  return median(rounds.map(({ stepMs, candidate }) => (2 * candidate.length * stepMs) / 1000));
}

export function printWindowTables(path: string): void {
  const all = loadRounds(path);
  const scenarios = [...new Set(all.map(({ scenario }) => scenario))];
  const services = [...new Set(all.map(({ service }) => service))];
  const levels = new Map(
    all.map((round) => [
      round,
      new Map(
        Object.entries(ESTIMATORS).map(([name, of]) => [
          name,
          { candidate: of(round.candidate), reference: of(round.reference) },
        ]),
      ),
    ]),
  );
  const levelOf = (round: RecordedRound, name: string): Record<Arm, number> => {
    const level = levels.get(round)?.get(name);
    if (level === undefined) throw new Error(`no estimate ${name}: bug`);
    return level;
  };
  const d = (round: RecordedRound, name: string): number => {
    const { candidate, reference } = levelOf(round, name);
    return candidate - reference;
  };
  const normal = all.filter(({ setting }) => setting === NORMAL);

  console.log("\n## Estimates of the same rounds, everything as the gate has it\n");
  console.log(
    "sd: robust (1.4826 · median |d|), plain. ratio: of capped sds, to the first estimate of the same scenario, with its 95 % interval.\n",
  );
  console.log(
    "| scenario | estimate | rounds | sd | plain | bias | ratio |\n|---|---|---|---|---|---|---|",
  );
  for (const scenario of scenarios) {
    const own = normal.filter((round) => round.scenario === scenario);
    const base = own.map((round) => d(round, BEFORE));
    for (const name of Object.keys(ESTIMATORS)) {
      const values = own.map((round) => d(round, name));
      console.log(
        `| ${scenario} | ${name} | ${values.length} | ${decimals(robust(values))} | ${decimals(plain(values))} | ${percent(median(values))} | ${shown(pairedRatio(values, base))} |`,
      );
    }
  }

  console.log("\n## Lengths of slices, the same 4 s of load an arm, in the same rounds\n");
  console.log(
    "| estimate | scenario | service | rounds | sd | plain | ratio to 500 ms | s a round |\n|---|---|---|---|---|---|---|---|",
  );
  for (const name of [BEFORE, "120 ms, quieter half"]) {
    for (const scenario of scenarios.filter((id) => id.startsWith("echo"))) {
      for (const only of [...services, null]) {
        const of = (id: string) =>
          normal.filter(
            (round) => round.scenario === id && (only === null || round.service === only),
          );
        const base = new Map(of("echo~500ms").map((round) => [round.key, d(round, name)]));
        const own = of(scenario).filter(({ key }) => base.has(key));
        if (own.length === 0) continue;
        const values = own.map((round) => d(round, name));
        const ratio = pairedRatio(
          values,
          own.map(({ key }) => base.get(key) as number),
        );
        console.log(
          `| ${name} | ${scenario} | ${only ?? "both"} | ${values.length} | ${decimals(robust(values))} | ${decimals(plain(values))} | ${shown(ratio)} | ${secondsOf(own).toFixed(1)} |`,
        );
      }
    }
  }

  console.log(
    "\n## Settings of the machine, all scenarios together, each log ratio over its scenario's sd as the gate has it\n",
  );
  console.log(
    "| setting | estimate | log ratios | sd over that of the gate's [95 %] | median p99 of a slice over the gate's, by service |\n|---|---|---|---|---|",
  );
  for (const name of [BEFORE, "120 ms, quieter half"]) {
    const scale = (round: RecordedRound): number =>
      plain(
        normal
          .filter((one) => one.scenario === round.scenario && one.service === round.service)
          .map((one) => d(one, name)),
      );
    const scaled = (rounds: readonly RecordedRound[]): number[] =>
      rounds.map((round) => d(round, name) / scale(round));
    const base = scaled(normal);
    for (const setting of new Set(all.map((round) => round.setting))) {
      const own = all.filter((round) => round.setting === setting);
      const shifts = services.map((service) => {
        const level = (rounds: readonly RecordedRound[]): number =>
          median(
            rounds
              .filter((round) => round.service === service && round.scenario === "echo~500ms")
              .flatMap((round) => Object.values(levelOf(round, name))),
          );
        return `${service} ${Math.exp(level(own) - level(normal)).toFixed(2)}`;
      });
      console.log(
        `| ${setting} | ${name} | ${own.length} | ${shown(unpairedRatio(scaled(own), base))} | ${shifts.join(", ")} |`,
      );
    }
  }

  console.log("\n## Windows by requests, all rounds with CPU sets: sd, plain\n");
  const pinned = all.filter(({ setting }) => setting !== UNPINNED);
  const at = (id: string) => pinned.filter(({ scenario }) => scenario === id);
  console.log(
    `| quieter half of | ${scenarios.map((id) => `${id}, ${at(id).length} rounds`).join(" | ")} |\n|---|${scenarios.map(() => "---|").join("")}`,
  );
  for (const [name, of] of Object.entries(BY_REQUESTS)) {
    const cells = scenarios.map((id) => {
      const values = at(id).map((round) => of(round.candidate) - of(round.reference));
      return `${decimals(robust(values))}, ${decimals(plain(values))}`;
    });
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }

  printPlants(
    "echo~500ms",
    normal.filter(({ scenario }) => scenario === "echo~500ms"),
    ESTIMATORS,
  );
  printPlants("echo~2000rps", at("echo~2000rps"), {
    ...BY_REQUESTS,
    "pooled, all": pooledAll,
  });
}

function printPlants(
  scenario: string,
  rounds: readonly RecordedRound[],
  estimators: Readonly<Record<string, LevelOf>>,
): void {
  console.log(
    `\n## What a planted change of the candidate comes to in ${scenario} (median over ${rounds.length} rounds of the same rounds with it and without)\n`,
  );
  console.log(
    `| estimate | ${Object.keys(PLANTS).join(" | ")} |\n|---|${Object.keys(PLANTS)
      .map(() => "---|")
      .join("")}`,
  );
  const changes = Object.values(PLANTS).map((plant) =>
    rounds.map(({ candidate }, i) => ({ candidate, slices: plant(candidate, createPrng(i + 1)) })),
  );
  for (const [name, of] of Object.entries(estimators)) {
    const cells = changes.map((changed) =>
      percent(median(changed.map(({ candidate, slices }) => of(slices) - of(candidate)))),
    );
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}
