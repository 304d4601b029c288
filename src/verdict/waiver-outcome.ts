// Which waivers count for a change, and what became of each: used, exceeded, unused and so on, in words for a person.
import type { Waiver } from "../model/config.ts";
import { METRIC_FACTS } from "../model/metric.ts";
import type { Comparison, WaiverOutcome, WaiverState, Warning } from "../model/verdict.ts";
import { covers, isExpired } from "./waiver.ts";
import { nameOf, percentOf } from "./wording.ts";

export interface AdmittedWaivers {
  /** Those that count, as long as they have not expired. */
  counted: readonly { waiver: Waiver; origin: WaiverOutcome["origin"] }[];
  /** Shown, and without effect. */
  proposed: readonly Waiver[];
}

export interface WaiverSources {
  /** Of the base branch's configuration. */
  base: readonly Waiver[];
  /**
   * Of the change's own configuration, as its reviewers see it: of the file at the head commit, read from GitHub. Never of an
   * artifact, which could name waivers that no reviewer is shown.
   */
  own: readonly Waiver[];
  /** Where the change comes from. A merge group is of the same repository. */
  from: "same-repository" | "fork";
}

/**
 * Whoever can push to the repository could edit the gate as well, so from there the change's own waivers count at once: the
 * review of tailgate.yml is what stands between them and the base branch. From a fork only the base branch's count, and what
 * the change adds is proposed.
 */
export function admitWaivers({ base, own, from }: WaiverSources): AdmittedWaivers {
  const known = new Set(base.map(identity));
  const isNew = (waiver: Waiver): boolean => !known.has(identity(waiver));
  const originOf = (waiver: Waiver) => (isNew(waiver) ? "change" : "base");
  switch (from) {
    case "same-repository":
      return { counted: own.map((waiver) => ({ waiver, origin: originOf(waiver) })), proposed: [] };
    case "fork":
      return {
        counted: base.map((waiver) => ({ waiver, origin: "base" })),
        proposed: own.filter(isNew),
      };
  }
}

/** An altered waiver is another one. */
function identity(waiver: Waiver): string {
  return JSON.stringify(Object.entries(waiver).sort(([a], [b]) => (a < b ? -1 : 1)));
}

export interface OutcomeRequest {
  admitted: AdmittedWaivers;
  /** All of the verdict, those with a stored baseline included. */
  comparisons: readonly Comparison[];
  /** ISO 8601: the day on which the waivers are looked at. */
  day: string;
}

export function summarizeWaivers({ admitted, comparisons, day }: OutcomeRequest): WaiverOutcome[] {
  const covered = (waiver: Waiver): Comparison[] =>
    comparisons.filter((comparison) => comparison.level !== "info" && covers(waiver, comparison));
  return [
    ...admitted.counted.map(({ waiver, origin }) =>
      outcomeOf(
        waiver,
        origin,
        isExpired(waiver, day)
          ? { state: "expired", comparisons: covered(waiver) }
          : becameOf(covered(waiver)),
      ),
    ),
    ...admitted.proposed.map((waiver) =>
      outcomeOf(waiver, "change", { state: "proposed", comparisons: covered(waiver) }),
    ),
  ];
}

interface Became {
  state: WaiverState;
  comparisons: readonly Comparison[];
}

function becameOf(covered: readonly Comparison[]): Became {
  const exceeding = covered.filter(
    ({ state, waiver }) => state === "regressed" && waiver?.answer === "beyond",
  );
  if (exceeding.length > 0) return { state: "exceeded", comparisons: exceeding };
  const accepted = covered.filter(({ state }) => state === "waived");
  if (accepted.length > 0) return { state: "used", comparisons: accepted };
  // Against a stored baseline much is undecided for reasons of its own: what passes there or alongside is what counts.
  const passes = ({ state }: Comparison): boolean => state === "pass" || state === "improved";
  const alongside = covered.filter(({ id }) => !id.endsWith(STORED_SUFFIX));
  const deciding = alongside.length > 0 ? alongside : covered;
  return deciding.length > 0 && deciding.every(passes)
    ? { state: "unused", comparisons: deciding }
    : { state: "undecided", comparisons: deciding.filter((one) => !passes(one)) };
}

/** Ends the ids of comparisons with a stored baseline. */
export const STORED_SUFFIX = " against the stored baseline";

function outcomeOf(
  waiver: Waiver,
  origin: WaiverOutcome["origin"],
  { state, comparisons }: Became,
): WaiverOutcome {
  return {
    waiver,
    origin,
    state,
    comparisons: comparisons.map(({ id }) => id),
    text: `${describeWaiver(waiver)}: ${describeState(state, comparisons)}`,
  };
}

/** `p99 of echo, up to +15.0 % until 2026-12-31`. */
export function describeWaiver(waiver: Waiver): string {
  const { metric, estimator, scenario, service, upTo, expires } = waiver;
  const narrowed = estimator === null || estimator === "launch" ? "" : ` (${estimator})`;
  const where = [service, scenario].filter((part) => part !== null).join("/");
  return `${METRIC_FACTS[metric].label}${narrowed} of ${where}, up to ${percentOf(Math.log1p(upTo))} until ${expires}`;
}

function describeState(state: WaiverState, comparisons: readonly Comparison[]): string {
  const changes = comparisons
    .slice(0, 3)
    .map((one) => `${nameOf(one)} ${percentOf(one.estimate ?? Number.NaN)}`)
    .join(", ");
  const more = comparisons.length > 3 ? ` and ${comparisons.length - 3} more` : "";
  switch (state) {
    case "used":
      return `accepts ${changes}${more}`;
    case "exceeded":
      return `exceeded by ${changes}${more}`;
    case "unused":
      return "covers nothing any more, all passes without it";
    case "undecided":
      return comparisons.length === 0
        ? "nothing that it covers was measured"
        : "not known whether it is needed, as what it covers could not be told";
    case "expired":
      return "expired, so it does not count";
    case "proposed":
      return "brought by this change from a fork, so it does not count before it is merged";
  }
}

/** So many days before its last day a waiver in use is warned of. */
const NOTICE_DAYS = 7;
const DAY_MS = 24 * 3600 * 1000;

export function waiverWarnings(outcomes: readonly WaiverOutcome[], day: string): Warning[] {
  return outcomes
    .map((outcome) => warningOf(outcome, day))
    .filter((text) => text !== null)
    .map((text) => ({ kind: "waiver", text }));
}

function warningOf({ waiver, state }: WaiverOutcome, day: string): string | null {
  const name = `The waiver of ${describeWaiver(waiver)}`;
  const owner = `its owner is ${waiver.owner}`;
  switch (state) {
    case "unused":
      return `${name} covers nothing any more: remove it (${owner}).`;
    case "expired":
      return `${name} has expired: remove it or renew it (${owner}).`;
    case "used":
    case "exceeded": {
      const left = (Date.parse(waiver.expires) - Date.parse(day.slice(0, 10))) / DAY_MS;
      return left <= NOTICE_DAYS
        ? `${name} ends ${inDays(left)}; after it the gate fails (${owner}).`
        : null;
    }
    case "proposed":
    case "undecided":
      return null;
  }
}

function inDays(days: number): string {
  return days === 0 ? "today" : days === 1 ? "tomorrow" : `in ${days} days`;
}
