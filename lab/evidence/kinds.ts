// What is planted in each kind of gate, and how many of each are wanted. Pure.
import type { Plant } from "./runs.ts";

export interface Kind {
  /** As the page calls it. */
  title: string;
  /** How many gates. */
  wanted: number;
  /** In the working tree of the `nth` gate, from 0, alone. Absent: nothing is planted. */
  plant?(nth: number): Plant;
  /** The machine is disturbed, in turns. */
  isDisturbed?: true;
  config: "tailgate.yml" | "services/tailgate.full.yml";
  /** What a gate is expected to take at most before one was measured. */
  minutes: number;
}

type Service = "axum-api" | "gin-api";

const SERVICES: readonly [Service, Service] = ["axum-api", "gin-api"];

/**
 * Microseconds on each request of /echo, by what the gates before made of its typical p99 on the
 * same machine (queues make more of a delay than its length). Set them anew on another machine:
 * what 5 µs come to has varied from +10 % to +25 %. The page shows what was measured.
 */
const DELAY_US: Readonly<Record<Service, { tenth: number; fifth: number }>> = {
  "axum-api": { tenth: 3, fifth: 6 },
  "gin-api": { tenth: 7, fifth: 13 },
};

/** 5 % of the 6.4 MB that axum-api has after load. */
const HEAP_BYTES = 322_000;

/** `found`: how the id of a hypothesis goes on behind the service's name if its red finds the plant. */
const planting =
  (found: string, faultsIn: (service: Service) => string) =>
  (nth: number): Plant => {
    const service = serviceOf(nth);
    return { service, faults: faultsIn(service), finds: `${service}${found}` };
  };
const slower = (effect: "tenth" | "fifth") =>
  planting("/echo p99", (service) => `route=/echo,latency_us=${DELAY_US[service][effect]}`);

const REPOSITORY = { config: "tailgate.yml", minutes: 12 } as const;

/**
 * Commits of this repository are measured against it where nothing is planted, so that these gates
 * are the repository's history as well. Move it when the services change, and measure it against the
 * one before first: from-evidence.ts joins the two.
 */
export const ANCHOR = "630c4c5c3d8f5b3e32bf4a3aa221e3a2913d346c";

export const KINDS: Readonly<Record<string, Kind>> = {
  "aa-calm": { title: "nothing", wanted: 30, ...REPOSITORY },
  "aa-disturbed": { title: "nothing", wanted: 30, isDisturbed: true, ...REPOSITORY },
  "p99+20": { title: "+20 % p99", wanted: 20, plant: slower("fifth"), ...REPOSITORY },
  "p99+10": { title: "+10 % p99", wanted: 20, plant: slower("tenth"), ...REPOSITORY },
  "rss+5": {
    title: "+5 % RSS, in axum-api",
    wanted: 20,
    // In gin-api what is kept comes out of the collector's headroom, and adds next to nothing.
    plant: () => ({
      service: "axum-api",
      faults: `keep_bytes=${HEAP_BYTES}`,
      finds: "axum-api rss",
    }),
    ...REPOSITORY,
  },
  "one-in-200-by-20ms": {
    title: "1 request in 200 slower by 20 ms",
    wanted: 10,
    plant: planting("/echo", () => "route=/echo,slow_one_in=200,slow_us=20000"),
    ...REPOSITORY,
  },
  "stall-150ms-every-3s": {
    title: "150 ms without an answer every 3 s",
    // The first was of one route alone.
    wanted: 11,
    plant: planting("/", () => "stall_every_ms=3000,stall_us=150000"),
    ...REPOSITORY,
  },
  "leak-2KB": {
    title: "a leak of 2 KB a request",
    wanted: 10,
    plant: planting(" rss", () => "keep_bytes_per_request=2048"),
    ...REPOSITORY,
  },
  // The first two had closer margins than that file has now.
  full: { title: "nothing", wanted: 5, config: "services/tailgate.full.yml", minutes: 45 },
};

/** The services take turns. */
export const serviceOf = (nth: number): Service => SERVICES[nth % 2 === 0 ? 0 : 1];

export interface Task {
  kind: string;
  /** Gates of this kind before it. */
  nth: number;
}

interface Wanted {
  /** A kind; null: any. */
  only: string | null;
  leftMinutes: number;
  /** Others are at work on the machine, so that no gate of an unchanged build is calm. */
  besideWork: boolean;
}

/**
 * The kind that has the smallest share of what is wanted, among those that fit into the time left;
 * null: none. Every gate that ended counts, whatever it said.
 */
export function chooseTask(
  runs: readonly { kind: string; minutes: number }[],
  { only, leftMinutes, besideWork }: Wanted,
): Task | null {
  const tasks = Object.entries(KINDS).flatMap(([kind, { wanted, minutes, plant, isDisturbed }]) => {
    const own = runs.filter((run) => run.kind === kind);
    const nth = own.length;
    const longest = nth === 0 ? minutes : Math.max(...own.map((run) => run.minutes));
    const isCalm = plant === undefined && isDisturbed !== true;
    const isOut = nth >= wanted || longest > leftMinutes || (only !== null && only !== kind);
    return isOut || (besideWork && isCalm) ? [] : [{ kind, nth, share: nth / wanted }];
  });
  const [first] = tasks.sort((a, b) => a.share - b.share);
  return first === undefined ? null : { kind: first.kind, nth: first.nth };
}
