// What a service answered wrongly or not at all. No share of such slices is the host's fault, and as they are measured again
// only the clean tries would count: so they are counted here, over all tries, for each arm. Pure.
import type { Arm, Samples, Slice, VoidRule } from "../model/samples.ts";
import { ARMS } from "../model/samples.ts";
import type { Warning } from "../model/verdict.ts";

/** Rules of the protocol, all others are of the host and the generator. */
const ANSWER_RULES: ReadonlySet<VoidRule> = new Set([
  "status",
  "transport",
  "incomplete",
  "service-gone",
]);
/** One slice may be an accident; and of many slices so large a share. */
const MAX_SLICES = 1;
const MAX_SHARE = 0.02;
/** So large a share is not made good by the slices to come. */
const HOPELESS_SHARE = 0.1;

export function isAnswerVoid(slice: Slice): boolean {
  return slice.void !== null && ANSWER_RULES.has(slice.void.rule);
}

/** The slices of one arm of a scenario, all tries, and those that its answers made void. */
interface Count {
  arm: Arm;
  slices: Slice[];
  failed: Slice[];
}

function countsOf(samples: Samples, scenario: string): Count[] {
  const all = samples.rounds.flatMap(({ scenarios }) =>
    scenarios.filter((entry) => entry.scenario === scenario).flatMap((entry) => entry.slices),
  );
  return ARMS.map((arm) => {
    const slices = all.filter((slice) => slice.arm === arm);
    return { arm, slices, failed: slices.filter(isAnswerVoid) };
  });
}

function isFault({ failed, slices }: Count): boolean {
  return failed.length > MAX_SLICES && failed.length > MAX_SHARE * slices.length;
}

export interface AnswerFault {
  text: string;
  /** Of the last such slice. */
  rule: VoidRule | null;
}

/** Of each arm in which too many slices went wrong. */
export function answerFaults(samples: Samples, scenario: string): AnswerFault[] {
  return countsOf(samples, scenario)
    .filter(isFault)
    .map((count) => ({
      text: `${scenario}: ${describe(samples, scenario, count)}`,
      rule: lastVoid(count)?.rule ?? null,
    }));
}

export function answersAreHopeless(samples: Samples, scenario: string): boolean {
  return countsOf(samples, scenario).some(
    (count) => isFault(count) && count.failed.length > HOPELESS_SHARE * count.slices.length,
  );
}

/** What is too little for a fault, and what an error budget let through. */
export function answerWarnings(samples: Samples): Warning[] {
  return samples.config.scenarios.flatMap(({ id }) => {
    const counts = countsOf(samples, id);
    const few = counts
      .filter((count) => count.failed.length > 0 && !isFault(count))
      .map((count) => ({
        kind: "errors",
        text: `${id}: ${describe(samples, id, count)}. They were measured again.`,
      }));
    return [...few, ...budgetWarning(samples, id, counts)];
  });
}

/** `requests to the candidate went wrong in 3 of 128 slices, mostly 503 (36 ×); the last: …`. */
function describe(samples: Samples, scenario: string, count: Count): string {
  const { arm, slices, failed } = count;
  const [worst, times] = worstOf(samples, scenario, failed);
  const mostly = times === 0 ? "" : `, mostly ${worst} (${times} ×)`;
  return `requests to the ${arm} went wrong in ${failed.length} of ${slices.length} slices${mostly}; the last: ${lastVoid(count)?.detail ?? ""}`;
}

function lastVoid({ failed }: Count): Slice["void"] {
  return failed.at(-1)?.void ?? null;
}

/** The status or the generator's word for a failure that was met most often. */
function worstOf(samples: Samples, scenario: string, slices: readonly Slice[]): [string, number] {
  const expected = expectedStatus(samples, scenario);
  const counts = new Map<string, number>();
  for (const { statuses, errors } of slices) {
    for (const [name, n] of [...Object.entries(statuses), ...Object.entries(errors)]) {
      if (name !== expected) counts.set(name, (counts.get(name) ?? 0) + n);
    }
  }
  return [...counts].reduce((worst, next) => (next[1] > worst[1] ? next : worst), ["", 0]);
}

/** Slices that count although not every request was answered as expected: the configuration allows it. */
function budgetWarning(samples: Samples, id: string, counts: readonly Count[]): Warning[] {
  const expected = expectedStatus(samples, id);
  const shares = counts.map(({ arm, slices }) => {
    const valid = slices.filter((slice) => slice.void === null);
    const scheduled = valid.reduce((sum, slice) => sum + slice.scheduled, 0);
    const failed = valid.reduce(
      (sum, { statuses, errors }) =>
        sum + total(statuses) - (statuses[expected] ?? 0) + total(errors),
      0,
    );
    return { arm, scheduled, failed };
  });
  if (shares.every(({ failed }) => failed === 0)) return [];
  const told = shares
    .filter(({ scheduled }) => scheduled > 0)
    .map(({ arm, scheduled, failed }) => `${failed} of ${scheduled} of the ${arm}`);
  return [
    {
      kind: "errors",
      text: `${id}: requests failed or were not answered with ${expected}, within the error budget of ${percent(samples.config.policy.errorBudget)}: ${told.join(", ")}. Quantiles are of what was answered.`,
    },
  ];
}

function expectedStatus(samples: Samples, scenario: string): string {
  return String(samples.config.scenarios.find(({ id }) => id === scenario)?.expectStatus ?? "");
}

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
