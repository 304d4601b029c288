// The commits that a bisection is tried on: neutral edits of both services and texts of the
// documentation in a drawn order, and one cost at a drawn place. Pure.
import { createPrng, shuffled } from "../../src/core/base/prng.ts";
import { applyEdit, type Edit, SERVICES, type Service, type Texts } from "../edit.ts";
import type { Turns } from "../evidence/kinds.ts";
import { NEUTRAL_EDITS } from "../neutral/edits.ts";
import { costEdit } from "../plants/costs.ts";

export const COMMITS = 64;

const COSTS_SOUGHT = ["hash", "sort", "read-back"];

const SOUGHT: readonly Edit[] = COSTS_SOUGHT.flatMap((name) =>
  SERVICES.map((service) => costEdit(name, service)),
);

export const BISECTED: Readonly<Record<string, Turns & { edit(nth: number): Edit }>> = {
  "one-of-64": {
    wanted: SOUGHT.length,
    edit: (nth) => SOUGHT[nth % SOUGHT.length] as Edit,
    byEdit: true,
    minutes: 20,
  },
};

export interface Line {
  /** From the first after the good commit to the bad one. Null: a text of the documentation. */
  commits: (Edit | null)[];
  /** Of the cost, from 1. */
  place: number;
}

/** Renamed functions are where other edits no longer find their places. */
const USUAL = NEUTRAL_EDITS.filter(({ kind }) => kind !== "rename");
const MOST_DRAWS = 100;

/** By the cost alone: the same line each time. Those that do not fit behind the ones before are left out. */
export function drawLine(cost: Edit, sources: Readonly<Record<Service, Texts>>): Line {
  const prng = createPrng(1 + SOUGHT.findIndex((one) => isSame(one, cost)));
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const texts = new Map(SERVICES.map((service) => [service, sources[service]]));
    const fits = (edit: Edit): boolean => {
      const before = texts.get(edit.service) as Texts;
      try {
        texts.set(edit.service, applyEdit(before, edit));
        return true;
      } catch {
        return false;
      }
    };
    const place = 1 + prng.below(COMMITS);
    const others = [...USUAL, ...Array.from({ length: COMMITS }, () => null)];
    const drawn = shuffled(others.slice(0, COMMITS - 1), prng);
    drawn.splice(place - 1, 0, cost);
    const commits = drawn.map((edit) => (edit === null || !fits(edit) ? null : edit));
    if (commits[place - 1] === cost) return { commits, place };
  }
  throw new Error(`${cost.service} ${cost.name} fits behind no neutral edits`);
}

const isSame = (one: Edit, other: Edit): boolean =>
  one.service === other.service && one.name === other.name;
