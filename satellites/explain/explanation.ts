// A session → why the verdict is red, as codes and numbers.
import { type Cause, findCauses } from "./classes.ts";
import { type Change, foldPairs, meanTotal, rise, sum, totalWeight } from "./fold.ts";
import { changedIn, type Place, parseDiff } from "./hunks.ts";
import type { Frame, GateChange, Session } from "./model.ts";
import { type Moved, type Named, nameCpu, nameOwn } from "./name.ts";
import { functionOf } from "./own.ts";
import { redKinds, redOf } from "./red.ts";

export interface Row extends Named {
  /** What the change wrote of it; null: unknown. */
  changedHere: Place[] | null;
}

export interface Explanation {
  /** Why, or `nothing` that a profile shows of what was red. */
  cause: Cause | { kind: "nothing" };
  /** What else there is more of. */
  also: Cause[];
  /** Of the change that the gate measured, what the rows hold, as a share that may exceed 1. */
  share: number | null;
  /** CPU ms per 1,000 requests, resident bytes, or CPU ms of a start. */
  unit: "cpu" | "memory" | "start";
  /** Most first. */
  rows: Row[];
  /** Beyond them. */
  more: number;
  moved: Moved[];
  /** System calls of a request. */
  calls: Change[];
  /** Kinds of mapping that rose, in bytes; kinds of wait, in shares of looks. */
  mappings: Change[];
  waits: Change[];
  /** Means over the launches; CPU of 1,000 requests. */
  latencyUs: Change;
  cpuMs: Change;
  startMs: Change;
  rounds: number;
  samples: number;
}

/** Whether the change wrote lines of it. */
export function isChanged({ changedHere }: Row): "yes" | "no" | "unknown" {
  if (changedHere === null) return "unknown";
  return changedHere.length > 0 ? "yes" : "no";
}

/** By how much there is more of the cause; of what waits, or of nothing, the latency. */
export function riseOfCause({ cause, mappings, ...totals }: Explanation): Omit<Change, "name"> {
  switch (cause.kind) {
    case "cpu":
      return totals.cpuMs;
    case "start":
      return totals.startMs;
    case "memory":
      return mappings.find(({ name }) => name === cause.mapping) ?? { before: 0, after: 0 };
    default:
      return totals.latencyUs;
  }
}

const MOST_ROWS = 5;

export function explain(session: Session, pairs = foldPairs(session)): Explanation {
  const { named, moved } = nameCpu(pairs);
  const { causes, cpuShare, ...evidence } = findCauses(session, pairs, named);
  const red = redKinds(session.gate);
  const isOfRed = ({ kind }: Cause): boolean =>
    red.size === 0 || RED_OF[kind].some((one) => red.has(one));
  const cause = causes.find(isOfRed);
  const unit = cause?.kind === "memory" || cause?.kind === "start" ? cause.kind : "cpu";
  const all = unit === "cpu" ? named : nameOwn(pairs, unit);
  const told = cause === undefined ? [] : all;
  const hunks = parseDiff(session.diff);
  const rows = told.slice(0, MOST_ROWS).map((one) => ({
    ...one,
    changedHere: changedIn(hunks, one.function, seenLines(session, one.function)),
  }));
  const gated = unit === "cpu" ? null : redOf(session.gate, unit);
  const held = gated && sum(told.map(rise)) / (gated.candidate - gated.reference);
  return {
    cause: cause ?? { kind: "nothing" },
    also: causes.filter((one) => one !== cause),
    share: unit === "cpu" ? cpuShare : held,
    ...{ unit, rows, more: told.length - rows.length, moved, ...evidence },
    latencyUs: meanTotal(pairs, "meanUs"),
    cpuMs: meanTotal(pairs, "cpuMs"),
    startMs: meanTotal(pairs, "startMs"),
    rounds: pairs.length,
    samples: totalWeight(session.launches.flatMap(({ stacks }) => stacks)),
  };
}

/** What of a gate each kind of cause can be why of. */
const RED_OF: Readonly<Record<Cause["kind"], readonly GateChange["kind"][]>> = {
  cpu: ["cpu", "latency"],
  waiting: ["latency"],
  memory: ["memory"],
  start: ["start"],
};

/**
 * Where a function of a script stands in the candidate: from the line that the profile has of it to
 * the next function that was seen in the file.
 */
function seenLines({ launches }: Session, name: string): Place | null {
  const stacks = launches
    .filter(({ arm }) => arm === "candidate")
    .flatMap((one) => [...one.stacks, ...one.start.stacks, ...one.faults]);
  const frames = [...new Set(stacks.flatMap((one) => one.frames))];
  const own = frames.filter((one) => functionOf(one.name) === name);
  const { file = null } = own.find((one) => one.file !== null) ?? {};
  if (file === null) return null;
  const linesOf = (list: readonly Frame[]): number[] =>
    list.flatMap((one) => (one.file === file ? (one.line ?? []) : []));
  const starts = linesOf(own);
  const last = Math.max(...starts);
  const later = linesOf(frames).filter((line) => line > last);
  return { file, from: Math.min(...starts), to: Math.min(...later) - 1 };
}
