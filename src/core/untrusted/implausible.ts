// What a schema cannot say: that samples can come from a measurement, and are judged in bounded
// time.
import { showValue } from "../base/show-value.ts";
import type { Scenario } from "../model/config.ts";
import { requestsUnaccounted } from "../model/load-rules.ts";
import { isPart, wholeId, withParts } from "../model/mix.ts";
import { total } from "../model/parts.ts";
import type { Arm, Samples, ScenarioRound, Slice } from "../model/samples.ts";
import { ARMS } from "../model/samples.ts";
import { voidReason } from "../slice/validity.ts";

/** More than any honest run has; each bounds a loop or a list that somebody will look at. */
const MAX_COUNTS = {
  services: 100,
  scenarios: 500,
  findings: 100,
  artifacts: 400,
  waivers: 100,
} as const;

/** Of one service: more than are looked at, since a run may want more. */
export const MAX_ROUNDS = 400;

/** Longer than any honest name. */
const MAX_NAME_LENGTH = 1000;

/** Runs that are kept as evidence have their quantiles rounded to two digits, each by itself. */
const ROUNDING = 1.1;

/** What `Samples` and the samples of two services have in common. */
export type Measured = Pick<Samples, "config" | "rounds" | "host" | "artifacts"> &
  Partial<Pick<Samples, "unchanged">> & {
    run: { compare: string };
  };

/** In words, with the place; null: nothing is wrong. */
export function implausible(samples: Measured): string | null {
  return tooMany(samples) ?? misnamed(samples) ?? impossible(samples);
}

function tooMany({ config, host, artifacts }: Measured): string | null {
  const counts: [keyof typeof MAX_COUNTS, number][] = [
    ["services", config.services.length],
    ["scenarios", config.scenarios.length],
    ["findings", host.findings.length],
    ["artifacts", artifacts.length],
    ["waivers", config.waivers.length],
  ];
  const beyond = counts.find(([what, count]) => count > MAX_COUNTS[what]);
  return beyond === undefined
    ? null
    : `${beyond[1]} ${beyond[0]}, at most ${MAX_COUNTS[beyond[0]]} are taken`;
}

function misnamed({ config, rounds, unchanged = [] }: Measured): string | null {
  const ids = withParts(config.scenarios).map(({ id }) => id);
  const services = config.services.map(({ name }) => name);
  const twice = duplicate(ids) ?? duplicate(services);
  if (twice !== null) return `${showValue(twice)} is configured twice`;
  for (const name of [...ids, ...services]) {
    if (name.length > MAX_NAME_LENGTH) return `a name is longer than ${MAX_NAME_LENGTH} characters`;
  }
  const odd = config.scenarios.find(({ id, service, name }) => id !== `${service}/${name}`);
  if (odd !== undefined) return `the scenario ${showValue(odd.id)} is not named after its service`;
  // They stand around the name of a part.
  const names = config.scenarios.flatMap(({ id, mix = [] }) => [
    id,
    ...mix.map(({ name }) => name),
  ]);
  const bracketed = names.find((name) => /[[\]]/.test(name));
  if (bracketed !== undefined) return `${showValue(bracketed)} has brackets in its name`;
  const same = unchanged.map(({ service }) => service);
  const odder =
    duplicate(same) ??
    same.find((name) => !services.includes(name) || rounds.some(({ service }) => service === name));
  if (odder != null) return `${showValue(odder)} is unchanged and measured, unknown or named twice`;
  const known = new Set(ids);
  const seen = new Set<string>();
  for (const { service, index, scenarios } of rounds) {
    const round = `${service} ${index}`;
    if (seen.has(round)) return `round ${index} of ${showValue(service)} stands twice`;
    seen.add(round);
    const names = scenarios.map(({ scenario }) => scenario);
    const again = duplicate(names);
    if (again !== null) return `round ${index} has the scenario ${showValue(again)} twice`;
    const stranger = names.find((name) => !known.has(name));
    if (stranger !== undefined) {
      return `round ${index} has the scenario ${showValue(stranger)}, which is not configured`;
    }
  }
  return null;
}

function impossible({ config, rounds, run }: Measured): string | null {
  const scenarios = new Map(withParts(config.scenarios).map((one) => [one.id, one]));
  const alone = run.compare === "stored";
  const numbers = new Map<string, string>();
  for (const round of rounds) {
    const at = `round ${round.index} of ${showValue(round.service)}`;
    const { launches } = round;
    if (launches !== null && (launches.reference === null) !== alone)
      return `${at}${otherArms(run)}`;
    // No two rounds answer alike to a tenth of a microsecond.
    const answers = round.scenarios.flatMap(({ slices }) => slices.map(({ latency }) => latency));
    if (answers.some((latency) => latency !== null)) {
      const text = `${round.service} ${JSON.stringify([answers, round.launches])}`;
      const earlier = numbers.get(text);
      if (earlier !== undefined) return `${at} repeats ${earlier} number for number`;
      numbers.set(text, at);
    }
    const others = sum(round.culprits?.map(({ share }) => share) ?? []);
    if (others > ROUNDING) return `${at} names programs that used ${others} of the measured CPUs`;
    for (const entry of round.scenarios) {
      const here = `${at}, ${showValue(entry.scenario)}`;
      if ((entry.arms.reference === null) !== alone) return `${here}${otherArms(run)}`;
      const scenario = scenarios.get(entry.scenario);
      const tries = new Set<string>();
      for (const [k, slice] of entry.slices.entries()) {
        const place = `${here}, slices[${k}] (${slice.arm})`;
        const one = tryOf(slice);
        if (tries.has(one)) return `${place}: ${one} stands twice`;
        tries.add(one);
        if (alone && slice.arm === "reference") return `${place}${otherArms(run)}`;
        const wrong = impossibleSlice(
          slice,
          scenario === undefined ? 0 : requestsUnaccounted(scenario),
        );
        if (wrong !== null) return `${place}: ${wrong}`;
        // The parts of a mix count together.
        if (slice.void !== null || scenario === undefined || isPart(scenario.id)) continue;
        const reason = voidReason(slice, scenario, config.policy.errorBudget);
        if (reason !== null) return `${place} counts although ${reason.detail}`;
      }
      const wrong = ARMS.map((arm) => impossibleWhole(entry, arm)).find((text) => text !== null);
      if (wrong !== undefined) return `${here}: ${wrong}`;
    }
    for (const [id, entries] of Map.groupBy(round.scenarios, (entry) => wholeId(entry.scenario))) {
      const parts = scenarios.get(id)?.mix?.length ?? 0;
      const wrong = parts === 0 ? null : impossibleMix(entries, parts, scenarios);
      if (wrong !== null) return `${at}, ${showValue(id)}: ${wrong}`;
    }
  }
  return null;
}

function tryOf({ pair, attempt, arm }: Slice): string {
  return `pair ${pair}, try ${attempt} of the ${arm}`;
}

function otherArms({ compare }: Measured["run"]): string {
  return compare === "stored"
    ? " has a reference, but the run measured the candidate alone"
    : " has no reference, but the run measured one";
}

function impossibleSlice(
  { latency, windows, statuses, dropped, lag }: Slice,
  slack: number,
): string | null {
  const answered = total(statuses);
  if (latency === null) return windows === undefined ? null : "windows of no latencies";
  if (latency.requests > answered - dropped + slack) {
    return `latencies of ${latency.requests} requests, and ${answered - dropped} answers that count`;
  }
  const inWindows = sum(windows?.map(({ requests }) => requests) ?? [latency.requests]);
  if (inWindows !== latency.requests) {
    return `${latency.requests} requests, and ${inWindows} in its windows`;
  }
  const parts = [
    ["", latency] as const,
    ...(windows ?? []).map(({ lagMax: _, ...one }, k) => [`windows[${k}]: `, one] as const),
  ];
  for (const [where, { requests: _, ...quantiles }] of parts) {
    const wrong = descending(quantiles);
    if (wrong !== null) return `${where}${wrong}`;
  }
  const of = (key: "max" | "lagMax") => (windows ?? []).map((window) => window[key]);
  return (
    impossibleMost(latency.max, of("max"), "slowest request") ??
    impossibleMost(lag?.max ?? null, of("lagMax"), "largest lag")
  );
}

/** The largest of a slice is in one of its windows, and each window decides. */
function impossibleMost(
  whole: number | null,
  parts: readonly (number | undefined)[],
  what: string,
): string | null {
  const known = parts.flatMap((part) => part ?? []);
  if (known.length === 0) return null;
  if (known.length < parts.length) return `the ${what} of some windows, and none of others`;
  const most = Math.max(...known);
  return whole === null || whole < most / ROUNDING || whole > most * ROUNDING
    ? `a ${what} of ${whole ?? "unknown"} µs, and of ${most} µs in its windows`
    : null;
}

/** Quantiles in the schema's order, which is theirs. */
function descending(quantiles: Readonly<Record<string, number | undefined>>): string | null {
  let before: [string, number] | null = null;
  for (const [name, value] of Object.entries(quantiles)) {
    if (value === undefined) continue;
    if (value === 0 || (before !== null && value * ROUNDING < before[1])) {
      return `${name} of ${value} µs${before === null ? "" : ` beside ${before[0]} of ${before[1]} µs`}`;
    }
    before = [name, value];
  }
  return null;
}

/** A slice of a mix has the answers of its parts, which count as it does. */
function impossibleMix(
  entries: readonly ScenarioRound[],
  parts: number,
  scenarios: ReadonlyMap<string, Scenario>,
): string | null {
  const all = entries.flatMap(({ scenario, slices }) =>
    slices.map((slice) => ({
      slice,
      of: isPart(scenario) ? "part" : "whole",
      expected: slice.statuses[String(scenarios.get(scenario)?.expectStatus)] ?? 0,
    })),
  );
  for (const [place, slices] of Map.groupBy(all, ({ slice }) => tryOf(slice))) {
    const whole = slices.find((one) => one.of === "whole");
    if (whole === undefined) return `${place} has parts, and no whole`;
    const own = slices.filter((one) => one.of === "part");
    // A generator that failed tells nothing of its parts.
    if (own.length === 0 && whole.slice.void !== null) continue;
    if (own.length !== parts) return `${place} has ${own.length} of its ${parts} parts`;
    const counted = slices.filter(({ slice }) => slice.void === null).length;
    if (counted !== 0 && counted !== slices.length) {
      return `${place} counts in ${counted} of ${slices.length} entries`;
    }
    const [had, inParts] = [describeAnswers([whole]), describeAnswers(own)];
    if (had !== inParts) return `${place} has ${had}, and its parts ${inParts}`;
  }
  return null;
}

function describeAnswers(slices: readonly { slice: Slice; expected: number }[]): string {
  const answered = sum(slices.map(({ slice }) => total(slice.statuses)));
  const expected = sum(slices.map((one) => one.expected));
  const failed = sum(slices.map(({ slice }) => total(slice.errors)));
  return `${answered} answers, ${expected} as expected, and ${failed} errors`;
}

/** The p99 of a whole lies between those of its parts. */
function impossibleWhole({ arms, slices }: ScenarioRound, arm: Arm): string | null {
  const pooled = arms[arm]?.pooled ?? null;
  if (pooled === null) return null;
  const counted = slices.filter((slice) => slice.arm === arm && slice.void === null);
  const requests = sum(counted.map(({ latency }) => latency?.requests ?? 0));
  if (pooled.requests > requests) {
    return `the ${arm}'s quantiles are of ${pooled.requests} requests, and its slices that count have ${requests}`;
  }
  const { requests: _, ...quantiles } = pooled;
  const wrong = descending(quantiles);
  if (wrong !== null) return `the ${arm}'s ${wrong}`;
  const parts = counted.flatMap(({ windows, latency }) => windows ?? latency ?? []);
  const [least, most] = parts.reduce(
    ([low, high], { p99 }) => [Math.min(low, p99), Math.max(high, p99)],
    [Number.POSITIVE_INFINITY, 0],
  );
  return pooled.p99 * ROUNDING < least || pooled.p99 > most * ROUNDING
    ? `the ${arm}'s p99 of ${pooled.p99} µs is not among those of its slices, ${least} to ${most} µs`
    : null;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function duplicate(names: readonly string[]): string | null {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size) ?? null;
}
