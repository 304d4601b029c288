// Made-up sessions of `explain`: stacks by what they take, drawn as samples of launches.

import type { GateChange, Profiled, Session, Stack } from "../../satellites/explain/model.ts";
import { createPrng, type Prng } from "../../src/core/base/prng.ts";

/** Leaf first, parted by blanks; `@` stands for the module: CPU ms per 1,000 requests. */
export type Costs = Readonly<Record<string, number>>;

export const BASE: Costs = {
  "[kernel]·write syscall.write @answer @echo http.serve": 60,
  "runtime.mallocgc @readJSON @echo http.serve": 50,
  "@echo http.serve": 30,
  "@main http.serve": 5,
  "runtime.gcBgMarkWorker": 20,
  "[kernel]·epoll_wait runtime.netpoll": 40,
};

const MODULE = "example.com/shop/server.";
export const own = (name: string): string => MODULE + name;

export interface Made {
  rounds?: number;
  seed?: number;
  /** Of a busy machine: by so large a share all that one launch takes differs from another's. */
  noise?: number;
  before?: Costs;
  /** Added to the candidate alone; negative takes away. */
  change?: Costs;
  start?: { reference: Costs; candidate: Costs };
  faults?: { reference: Costs; candidate: Costs };
  /** Of the candidate's launches, beside what costs say. */
  candidate?: Partial<Profiled>;
  session?: Partial<Session>;
}

export function makeSession({
  rounds = 12,
  seed = 1,
  noise = 0,
  before = BASE,
  change = {},
  start,
  faults,
  candidate = {},
  session = {},
}: Made = {}): Session {
  const prng = createPrng(seed);
  const names = [...new Set([...Object.keys(before), ...Object.keys(change)])];
  const after = Object.fromEntries(
    names.map((name) => [name, (before[name] ?? 0) + (change[name] ?? 0)]),
  );
  const launches = Array.from({ length: rounds }, (_, round) =>
    (["reference", "candidate"] as const).map((arm): Profiled => {
      const disturbed = noise === 0 ? 1 : 1 + noise * normal(prng);
      const samples = (disturbed * REQUESTS) / 1000 / PERIOD_MS;
      const stacks = drawn(arm === "reference" ? before : after, samples, prng);
      const near = (value: number): number => value * (1 + 0.02 * (prng.next() - 0.5));
      return {
        arm,
        round,
        requests: REQUESTS,
        cpuMs: stacks.reduce((sum, { weight }) => sum + weight, 0) * PERIOD_MS,
        halves: "both",
        stacks,
        faults: drawn(faults?.[arm] ?? {}, 1, prng),
        start: { ms: near(20), cpuMs: near(15), stacks: drawn(start?.[arm] ?? {}, 5, prng) },
        mappings: { anonymous: near(10e6), "program-text": 4e6, libraries: near(2e6) },
        waits: {},
        latencyMs: { p99: near(0.6), mean: near(0.25) },
        ...(arm === "candidate" ? candidate : {}),
      };
    }),
  ).flat();
  const rest: Omit<Session, "launches"> = {
    syscalls: null,
    own: { kind: "go", modules: ["example.com/shop"] },
    gate: [],
    diff: "",
  };
  return { launches, ...rest, ...session };
}

const REQUESTS = 1600;
const PERIOD_MS = 0.2;

const normal = (prng: Prng): number =>
  Array.from({ length: 12 }, () => prng.next()).reduce((a, b) => a + b, -6);

/** Counts about `costs × samples`, as samples of a clock vary. */
function drawn(costs: Costs, samples: number, prng: Prng): Stack[] {
  return Object.entries(costs).flatMap(([stack, cost]) => {
    const expected = Math.max(0, cost * samples);
    const weight = Math.max(0, Math.round(expected + Math.sqrt(expected) * normal(prng)));
    return weight === 0 ? [] : { frames: stack.split(" ").map(frameOf), weight };
  });
}

function frameOf(part: string) {
  const name = part.replace("@", MODULE).replaceAll("·", " ");
  return { name, module: "shop", file: null, line: null };
}

export function gateChange(kind: GateChange["kind"], ratio: number): GateChange {
  return { kind, reference: 100, candidate: 100 * ratio, red: true };
}

type Calls = Readonly<Record<string, number>>;

/** System calls of a request, of either arm. */
export function counted(reference: Calls, candidate: Calls): Session["syscalls"] {
  const of = (calls: Calls) => ({
    requests: 500,
    calls: Object.fromEntries(Object.entries(calls).map(([name, count]) => [name, count * 500])),
  });
  return { reference: of(reference), candidate: of(candidate) };
}
