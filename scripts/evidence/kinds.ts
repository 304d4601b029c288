// What is planted in each kind of gate. Pure.
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

/** Null: not into this service. */
type Planting = (service: string, context: Context) => Plant | null;

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

/** Not where memory is collected: what is kept comes out of the collector's headroom (+1.1 MB in gin-api: +0.6 % RSS, not +5 %). */
const heavier =
  (effect: number): Planting =>
  (service, { levels }) =>
    COLLECTED.includes(service)
      ? null
      : {
          service,
          faults: `keep_bytes=${Math.round(effect * level(levels.rssBytes, service))}`,
          finds: rss(service),
          effect,
        };
const COLLECTED: readonly string[] = ["gin-api"];

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
  /** `repository`: as tailgate.yml has it. `echo`: one service with that scenario alone, as a small repository would have it. */
  scope: "repository" | "echo";
  /** All into the same service of the candidate; the services take turns from gate to gate. */
  plantings: readonly Planting[];
  /** The candidate's sources differ from the reference's by a comment: another build, in another file, that does the same. */
  rebuilt?: true;
  /** Whether its plants need a size that rounds must be measured for. */
  sized: boolean;
  /** What p99 promises, a fraction; absent: what tailgate.yml has. */
  p99Promise?: number;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  "aa-all": { title: "nothing", scope: "repository", plantings: [], sized: false },
  // Where both arms are one build they start one file, whose pages they share.
  "aa-two-builds": {
    title: "nothing, of two builds",
    scope: "repository",
    plantings: [],
    rebuilt: true,
    sized: false,
  },
  aa: { title: "nothing", scope: "echo", plantings: [], sized: false },
  "p99+10": {
    title: "+10 % p99, in axum-api also +5 % RSS",
    scope: "echo",
    plantings: [slower(0.1), heavier(0.05)],
    sized: true,
  },
  // Less than p99 promises by default: such a gate may pass.
  "p99+5": {
    title: "+5 % p99, a start 100 ms later, in axum-api also +5 % RSS",
    scope: "echo",
    plantings: [slower(0.05), heavier(0.05), startingLate],
    sized: true,
  },
  "p99+5-promised": {
    title: "+5 % p99 where that is the promise, a start 100 ms later, in axum-api also +5 % RSS",
    scope: "echo",
    plantings: [slower(0.05), heavier(0.05), startingLate],
    sized: true,
    p99Promise: 0.05,
  },
  "tail-and-leak": {
    title: "1 request in 20 slower by half the p99, a leak",
    scope: "echo",
    plantings: [oneInTwenty, leaking],
    sized: false,
  },
  "stalls-and-heap": {
    title: "stalls of 40 ms a second, in axum-api also +10 % RSS",
    scope: "echo",
    plantings: [stalling, heavier(0.1)],
    sized: false,
  },
};

/** What rounds are measured with to size a delay: beside the heap it is planted with, since that moves a collector's pauses. */
export const fitPlants = (service: string, context: Context): Plant[] =>
  [slower(FIT_EFFECT), heavier(0.05)].flatMap((planting) => planting(service, context) ?? []);

/** Larger than what is planted, so that few rounds tell it from noise. */
export const FIT_EFFECT = 0.3;

/** The service of the `nth` gate of a kind, from 0. */
export const serviceOf = (nth: number, services: readonly [string, string]): string =>
  services[nth % 2 === 0 ? 0 : 1];

export function plantsOf(kind: string, service: string, context: Context): Plant[] {
  return (KINDS[kind]?.plantings ?? []).flatMap((planting) => planting(service, context) ?? []);
}
