// What is explained, and how often. Pure.
import { type Edit, SERVICES, type Service } from "../edit.ts";
import type { Turns } from "../evidence/kinds.ts";
import { NEUTRAL_EDITS } from "../neutral/edits.ts";
import { COSTS, costEdit } from "../plants/costs.ts";

export interface ExplainedKind extends Turns {
  /** As the page calls it. */
  title: string;
  edit(nth: number): Edit;
}

/** The services take turns, and each cost comes up once before any does twice. */
const COST_EDITS: readonly Edit[] = Object.keys(COSTS).flatMap((name) =>
  SERVICES.map((service) => costEdit(name, service)),
);

/** Nothing is edited: the configuration makes it another service, of the same program. */
const UNCHANGED: readonly Edit[] = SERVICES.map((service) => ({
  service,
  kind: "unchanged",
  name: "nothing",
  steps: [],
}));

/** With the first build of a service. */
const MINUTES = 8;

const inTurns = (edits: readonly Edit[], times: number) => ({
  wanted: times * edits.length,
  edit: (nth: number) => edits[nth % edits.length] as Edit,
  byEdit: true as const,
  minutes: MINUTES,
});

export const EXPLAINED: Readonly<Record<string, ExplainedKind>> = {
  planted: { title: "a cost", ...inTurns(COST_EDITS, 2) },
  "beside-compiler": {
    title: "a cost, beside a compiler a third of the time",
    ...inTurns(COST_EDITS, 1),
    isDisturbed: true,
  },
  unchanged: { title: "nothing", ...inTurns(UNCHANGED, 30) },
  neutral: { title: "an edit that changes no behaviour", ...inTurns(NEUTRAL_EDITS, 1) },
};

interface Load {
  config: "tailgate.yml" | "services/tailgate.full.yml";
  scenario: string;
}

const REPOSITORY = "tailgate.yml";
const OF_PROCESS = /process|hashRounds/;

/** What meets the edit, or else the busiest route. */
export function loadOf({ kind, name }: Pick<Edit, "kind" | "name">): Load {
  if (kind !== "cost")
    return { config: REPOSITORY, scenario: OF_PROCESS.test(name) ? "process" : "echo" };
  const scenario = COSTS[name]?.scenario ?? "echo";
  return { config: scenario === "echo" ? REPOSITORY : "services/tailgate.full.yml", scenario };
}

export const languageOf = (service: string): string =>
  ({ "axum-api": "Rust", "gin-api": "Go" })[service as Service] ?? service;
