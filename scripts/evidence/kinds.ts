// What is planted in each kind of gate. Two services are two places to plant in: one gate answers for both. Pure.
import type { Plant } from "./runs.ts";

/** Medians of the reference, from rounds in which nothing was planted. */
export interface Levels {
  /** Of /echo, typical, by service. */
  p99Us: Readonly<Record<string, number>>;
  rssBytes: Readonly<Record<string, number>>;
  /** Requests a launch has served when its memory is read, by service. */
  requests: Readonly<Record<string, number>>;
}

/** Microseconds on each request of /echo that make its p99 worse by a fraction. */
export type SizeOf = (service: string, effect: number) => number;

interface Context {
  levels: Levels;
  sizeOf: SizeOf;
}

type Planting = (service: string, context: Context) => Plant;

const p99 = (service: string): string[] => [`${service}/echo p99 typical`];
const anyP99 = (service: string): string[] => [...p99(service), `${service}/echo p99 pooled`];
const rss = (service: string): string[] => [`${service} rss`];
const level = (values: Readonly<Record<string, number>>, service: string): number => {
  const value = values[service];
  if (value === undefined) throw new Error(`no level of ${service} has been measured yet`);
  return value;
};

const slower =
  (effect: number): Planting =>
  (service, { sizeOf }) => ({
    service,
    faults: `route=/echo,latency_us=${sizeOf(service, effect)}`,
    finds: p99(service),
    effect,
  });

const heavier =
  (effect: number): Planting =>
  (service, { levels }) => ({
    service,
    faults: `keep_bytes=${Math.round(effect * level(levels.rssBytes, service))}`,
    finds: rss(service),
    effect,
  });

/** Half the p99 more on every twentieth request. */
const oneInTwenty: Planting = (service, { levels }) => ({
  service,
  faults: `route=/echo,slow_one_in=20,slow_us=${Math.round(0.5 * level(levels.p99Us, service))}`,
  finds: anyP99(service),
  effect: null,
});

/** A tenth of the memory more by the time it is read. */
const leaking: Planting = (service, { levels }) => {
  const bytes = (0.1 * level(levels.rssBytes, service)) / level(levels.requests, service);
  return {
    service,
    faults: `keep_bytes_per_request=${Math.max(1, Math.round(bytes))}`,
    finds: rss(service),
    effect: null,
  };
};

/** 40 ms without an answer every second. */
const stalling: Planting = (service) => ({
  service,
  faults: "route=/echo,stall_every_ms=1000,stall_us=40000",
  finds: anyP99(service),
  effect: null,
});

/** Startup time is shown, and gated by no default. */
const startingLate: Planting = (service) => ({
  service,
  faults: "start_delay_ms=100",
  finds: [],
  effect: null,
});

export interface Kind {
  /** As the page calls it. */
  title: string;
  /** Into one service and the other; they change places from gate to gate. */
  plantings: readonly [Planting, Planting] | null;
  /** Whether its plants need a size that rounds must be measured for. */
  sized: boolean;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  aa: { title: "nothing", plantings: null, sized: false },
  "p99+10": {
    title: "+10 % p99 and, in the other service, +5 % RSS",
    plantings: [slower(0.1), heavier(0.05)],
    sized: true,
  },
  "p99+5": {
    title: "+5 % p99 and, in the other service, a start 100 ms later",
    plantings: [slower(0.05), startingLate],
    sized: true,
  },
  "tail-and-leak": {
    title: "1 request in 20 slower by half the p99 and, in the other service, a leak",
    plantings: [oneInTwenty, leaking],
    sized: false,
  },
  "stalls-and-heap": {
    title: "stalls of 40 ms a second and, in the other service, +10 % RSS",
    plantings: [stalling, heavier(0.1)],
    sized: false,
  },
};

/** Plants of the `nth` gate of a kind, from 0. */
export function plantsOf(
  kind: string,
  nth: number,
  services: readonly [string, string],
  context: Context,
): Plant[] {
  const plantings = KINDS[kind]?.plantings ?? null;
  if (plantings === null) return [];
  const [first, second] = nth % 2 === 0 ? services : [services[1], services[0]];
  return [plantings[0](first, context), plantings[1](second, context)];
}
