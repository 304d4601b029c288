// Which waivers count for a change, and what became of each: used, exceeded, unused and so on.

import type { Waiver } from "../model/config.ts";
import type { Caution, WaiverState } from "../model/fault.ts";
import type { JudgedComparison, JudgedWaiver } from "../model/verdict.ts";
import { covers, isExpired, passesItself } from "./waiver.ts";

/** Those that count, as long as they have not expired. */
export type AdmittedWaivers = readonly { waiver: Waiver; origin: JudgedWaiver["origin"] }[];

/**
 * From the repository itself a change's `own` waivers count at once, since its review covers them;
 * from a fork (null) only the base branch's do.
 */
export function admitWaivers(
  base: readonly Waiver[],
  own: readonly Waiver[] | null,
): AdmittedWaivers {
  const known = new Set(base.map(identity));
  return (own ?? base).map((waiver) => ({
    waiver,
    origin: known.has(identity(waiver)) ? "base" : "change",
  }));
}

function identity(waiver: Waiver): string {
  return JSON.stringify(Object.entries(waiver).sort(([a], [b]) => (a < b ? -1 : 1)));
}

interface OutcomeRequest {
  admitted: AdmittedWaivers;
  comparisons: readonly JudgedComparison[];
  /** ISO 8601: the day on which the waivers are looked at. */
  day: string;
}

export function summarizeWaivers({ admitted, comparisons, day }: OutcomeRequest): JudgedWaiver[] {
  return admitted.map(({ waiver, origin }) => {
    const covered = comparisons.filter((one) => one.level !== "info" && covers(waiver, one));
    const { state, comparisons: told } = isExpired(waiver, day)
      ? { state: "expired" as const, comparisons: covered }
      : transitionOf(covered);
    return { waiver, origin, state, comparisons: told.map(({ id }) => id) };
  });
}

interface Transition {
  state: WaiverState;
  comparisons: readonly JudgedComparison[];
}

function transitionOf(covered: readonly JudgedComparison[]): Transition {
  const exceeding = covered.filter(
    ({ state, waiver }) => state === "regressed" && waiver?.answer === "beyond",
  );
  if (exceeding.length > 0) return { state: "exceeded", comparisons: exceeding };
  const accepted = covered.filter(({ state }) => state === "waived");
  if (accepted.length > 0) return { state: "used", comparisons: accepted };
  // Against a stored baseline much is undecided for reasons of its own.
  const alongside = covered.filter(({ against }) => against !== "stored");
  const deciding = alongside.length > 0 ? alongside : covered;
  return deciding.length > 0 && deciding.every(passesItself)
    ? { state: "unused", comparisons: deciding }
    : { state: "undecided", comparisons: deciding.filter((one) => !passesItself(one)) };
}

/** So many days before its last day a waiver in use is warned of. */
const NOTICE_DAYS = 7;
const DAY_MS = 24 * 3600 * 1000;

/** Of what can go, has to be renewed, or soon has to be. */
export function waiverCautions(outcomes: readonly JudgedWaiver[], day: string): Caution[] {
  return outcomes.flatMap(({ waiver, state }): Caution[] => {
    const daysLeft = (Date.parse(waiver.expires) - Date.parse(day.slice(0, 10))) / DAY_MS;
    const isTold =
      state === "unused" ||
      state === "expired" ||
      ((state === "used" || state === "exceeded") && daysLeft <= NOTICE_DAYS);
    return isTold ? [{ code: "waiver", waiver, state, daysLeft }] : [];
  });
}
