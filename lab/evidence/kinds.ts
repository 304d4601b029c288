// What is planted in each kind of gate, and how many of each are wanted. Pure.
import { type Edit, SERVICES, type Service, titleOf } from "../edit.ts";
import { NEUTRAL_EDITS } from "../neutral/edits.ts";
import { plantEdit, SOURCE_PLANTS } from "../plants/plants.ts";
import type { Plant, Run } from "./runs.ts";

export interface Kind {
  /** As the page calls it. */
  title: string;
  /** How many gates. */
  wanted: number;
  /** Gates that began before this day, as YYYY-MM-DD, were of other limits: they are shown apart, and not counted. */
  since?: string;
  /** In the working tree of the `nth` gate, from 0, alone. Absent: nothing is planted. */
  plant?(nth: number): Plant;
  /** What is done to the candidate's source in the `nth` gate. Without a plant, no behaviour changes. */
  edit?(nth: number): Edit;
  /** What the configuration of the candidate has beyond: a scenario `name` that asks its service for `path`. */
  scenario?: { name: string; path: string };
  /** `nth` says which edit, and not how many were measured before: each is measured as often as it comes up. */
  byEdit?: true;
  /** The machine is disturbed, in turns. */
  isDisturbed?: true;
  config: "tailgate.yml" | "services/tailgate.full.yml";
  /** What a gate is expected to take at most before one was measured. */
  minutes: number;
}

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
export const ANCHOR = "1adc74c1a0b3d2ad26596690dac4ca8ecf3bcb74";

/** CPU, memory at its peak and start-up gate, margins follow the profile, and `slow` is of a service. */
const LIMITS_SINCE = "2026-11-27";

function newRoute(service: Service): Edit {
  const title = `${service} route version`;
  const edit = NEUTRAL_EDITS.find((one) => titleOf(one) === title);
  if (edit === undefined) throw new Error(`no neutral edit is called ${title}`);
  return edit;
}

/** With the plant in the source of the candidate, which is so another program and not only another value. */
const IN_SOURCE: Readonly<Record<string, Kind>> = Object.fromEntries(
  Object.entries(SOURCE_PLANTS).map(([name, { title, wanted, found }]) => [
    `${name}-in-source`,
    {
      title: `${title}, in source`,
      wanted,
      plant: (nth) => ({ service: serviceOf(nth), finds: `${serviceOf(nth)}${found}` }),
      edit: (nth) => plantEdit(name, serviceOf(nth)),
      ...REPOSITORY,
    } satisfies Kind,
  ]),
);

export const KINDS: Readonly<Record<string, Kind>> = {
  "aa-calm": { title: "nothing", wanted: 30, since: LIMITS_SINCE, ...REPOSITORY },
  "aa-disturbed": { title: "nothing", wanted: 30, isDisturbed: true, ...REPOSITORY },
  neutral: {
    title: "an edit that changes no behaviour",
    wanted: NEUTRAL_EDITS.length,
    edit: (nth) => NEUTRAL_EDITS[nth] as Edit,
    byEdit: true,
    ...REPOSITORY,
  },
  "new-scenario": {
    title: "nothing: a route, and a scenario of it",
    wanted: SERVICES.length,
    edit: (nth) => newRoute(serviceOf(nth)),
    scenario: { name: "version", path: "/version" },
    ...REPOSITORY,
  },
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
  ...IN_SOURCE,
  full: {
    title: "nothing",
    wanted: 3,
    since: LIMITS_SINCE,
    config: "services/tailgate.full.yml",
    minutes: 45,
  },
};

/** The services take turns. */
export const serviceOf = (nth: number): Service => SERVICES[nth % 2 === 0 ? 0 : 1];

export interface Task {
  kind: string;
  /** Of the runs of this kind, from 0. */
  nth: number;
}

export interface Wanted {
  /** Kinds; empty: any. */
  only: readonly string[];
  leftMinutes: number;
  /** Others are at work on the machine, so that no gate of an unchanged build is calm. */
  besideWork: boolean;
  /** Ended without samples, and are not tried again. */
  failed: readonly Task[];
}

type Measured = Pick<Run, "name" | "kind" | "minutes" | "edit">;

/** What of a kind says whether it is its turn. */
export type Turns = Pick<
  Kind,
  "wanted" | "since" | "plant" | "edit" | "byEdit" | "isDisturbed" | "minutes"
>;

/** Whether a run counts: under the limits that its kind has now. Its name begins with its time. */
export const isPresent = (
  { name, kind }: Pick<Run, "name" | "kind">,
  kinds: Readonly<Record<string, Turns>> = KINDS,
): boolean => name >= (kinds[kind]?.since ?? "");

/**
 * The kind that has the smallest share of what is wanted, among those that fit into the time left;
 * null: none. Every run that ended counts, whatever it said.
 */
export function chooseTask(
  runs: readonly Measured[],
  { only, leftMinutes, besideWork, failed }: Wanted,
  kinds: Readonly<Record<string, Turns>> = KINDS,
): Task | null {
  const tasks = Object.entries(kinds).flatMap(([kind, definition]) => {
    const { wanted, minutes, plant, edit, isDisturbed } = definition;
    const own = runs.filter((run) => run.kind === kind && isPresent(run, kinds));
    const nth = nextOf(
      definition,
      own,
      failed.filter((task) => task.kind === kind),
    );
    const longest = own.length === 0 ? minutes : Math.max(...own.map((run) => run.minutes));
    const isCalm = plant === undefined && edit === undefined && isDisturbed !== true;
    const isOut =
      nth === null || longest > leftMinutes || (only.length > 0 && !only.includes(kind));
    return isOut || (besideWork && isCalm) ? [] : [{ kind, nth, share: own.length / wanted }];
  });
  const [first] = tasks.sort((a, b) => a.share - b.share);
  return first === undefined ? null : { kind: first.kind, nth: first.nth };
}

/** Null: all are there, or what is left fails. */
function nextOf(
  { wanted, edit, byEdit }: Turns,
  own: readonly Measured[],
  failed: readonly Task[],
): number | null {
  if (edit === undefined || byEdit === undefined) {
    return own.length < wanted && failed.length === 0 ? own.length : null;
  }
  const done = own.map((run) => (run.edit === undefined ? "" : titleOf(run.edit)));
  const all = Array.from({ length: wanted }, (_, nth) => titleOf(edit(nth)));
  const times = (titles: readonly string[], title: string): number =>
    titles.filter((one) => one === title).length;
  const next = all.findIndex(
    (title, nth) =>
      times(done, title) <= times(all.slice(0, nth), title) &&
      !failed.some((task) => task.nth === nth),
  );
  return next < 0 ? null : next;
}
