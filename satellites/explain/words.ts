// An explanation as one sentence and a table, for every medium.
import {
  type Block,
  type ColumnOf,
  list,
  note,
  paragraph,
  type Text,
  tableAbout,
} from "../../src/core/report/kit/blocks.ts";
import {
  formatCount,
  formatPair,
  formatShare,
  formatValue,
  NOTHING,
} from "../../src/core/text/format.ts";
import type { Cause, WaitingFor } from "./classes.ts";
import { type Explanation, isChanged, type Row, riseOfCause } from "./explanation.ts";
import { type Change, rise } from "./fold.ts";
import type { MappingKind } from "./model.ts";
import type { Moved } from "./name.ts";
import { shortName } from "./own.ts";

/** The sentence, for programs. */
export function plainSentence(explanation: Explanation): string {
  const parts = [sentence(explanation)].flat();
  return parts.map((part) => (typeof part === "string" ? part : part.code)).join("");
}

/** The sentence first, then the rows, then what is to be known beside them. */
export function tellExplanation(explanation: Explanation): Block[] {
  const { rows, unit, also, moved } = explanation;
  const alsoMore = also.map(causeWords).join(", ");
  return [
    paragraph(sentence(explanation), "strong"),
    ...(rows.length === 0 ? [] : [tableAbout(rows, columnsFor(unit))]),
    list([
      ...(alsoMore === "" ? [] : [`Also: ${alsoMore}.`]),
      ...moved.slice(0, MOST_TOLD).map((one) => ({ text: movedText(one) })),
    ]),
    note(foundBy(explanation)),
  ];
}

const MOST_TOLD = 3;
/** The least p of so many is below the α of each family. */
const PROVING_ROUNDS = 8;

const code = (name: string): { code: string } => ({ code: shortName(name) });

function movedText({ function: name, from, ms }: Moved): Text {
  const taken = [code(name), ` takes ${perRequests(ms)}`];
  return from === null
    ? [...taken, " more, but what is around it does not: it may have moved."]
    : [...taken, " that ", code(from), " took before: it moved."];
}

const UNITS = { cpu: "ms", waiting: "us", memory: "bytes", start: "ms", nothing: "us" } as const;

function sentence(explanation: Explanation): Text {
  const { cause, rows, calls, rounds } = explanation;
  const [first] = rows;
  const { before, after } = riseOfCause(explanation);
  const rose = formatPair(UNITS[cause.kind], before, after);
  const where = first === undefined ? [] : [", above all in ", code(first.function)];
  switch (cause.kind) {
    case "cpu":
      return first === undefined
        ? `More CPU, in no function that can be told: ${rose} per 1,000 requests.`
        : ["More CPU: ", ...cpuOf(first)];
    case "waiting":
      return ["More waiting: ", WAITING[cause.for], ...callsOf(cause.for, calls), "."];
    case "memory":
      return [`More memory: ${MAPPINGS[cause.mapping]}, ${rose}`, ...where, "."];
    case "start":
      return [`Slower start: ${rose}`, ...where, "."];
    case "nothing":
      return `Profiles prove no cause: in ${formatCount(rounds)} rounds no CPU of a function, no waiting, memory or start rose beyond chance to match. Their mean latency was ${rose}.${rounds < PROVING_ROUNDS ? ` A proof takes ${PROVING_ROUNDS}: a larger --seconds has more.` : ""}`;
  }
}

function cpuOf({ function: name, calledBy, within, before, after, changedHere }: Row): Text {
  const [place, ...others] = changedHere ?? [];
  const more = others.length === 0 ? "" : ` and ${others.length} more places of it`;
  return [
    code(name),
    ...(within === null ? [] : [", mostly in ", code(within), ","]),
    ` takes ${perRequests(after - before)} more`,
    ...(calledBy === null ? [] : [", called by ", code(calledBy)]),
    ...(place === undefined
      ? ["."]
      : ["; this change wrote ", { code: `${place.file}:${place.from}` }, more, "."]),
  ];
}

function perRequests(ms: number): string {
  return `${formatValue("ms", ms)} of CPU per 1,000 requests`;
}

const WAITING: Readonly<Record<WaitingFor, string>> = {
  timer: "for a timer",
  disk: "for files or a disk",
  service: "for another service",
  unknown: "requests take longer and no CPU rose to match; for what, the profile does not show",
};

const MAPPINGS: Readonly<Record<MappingKind, string>> = {
  anonymous: "anonymous memory",
  heap: "the heap",
  stack: "stacks",
  "program-text": "the program's code",
  "program-data": "the program's data",
  libraries: "libraries",
  other: "other mappings",
};

function callsOf(waiting: WaitingFor, calls: readonly Change[]): Text {
  const more = calls.filter((one) => rise(one) > 0).slice(0, MOST_TOLD);
  if (waiting === "unknown" || more.length === 0) return [];
  return more.flatMap(({ name, before, after }, at) => [
    ...[at === 0 ? "; system calls of a request: " : ", ", { code: name }],
    ` ${before.toFixed(2)} → ${after.toFixed(2)}`,
  ]);
}

function causeWords(cause: Cause): string {
  if (cause.kind === "cpu") return "more CPU";
  if (cause.kind === "start") return "a slower start";
  if (cause.kind === "memory") return `more memory (${MAPPINGS[cause.mapping]})`;
  return cause.for === "unknown" ? "more waiting" : `more waiting ${WAITING[cause.for]}`;
}

const TITLES = { cpu: "CPU per 1,000", memory: "memory", start: "CPU of start" } as const;

function columnsFor(unit: Explanation["unit"]): ColumnOf<Row>[] {
  const scale = UNITS[unit];
  const short = (name: string | null): string => shortName(name ?? NOTHING);
  const amount = (value: number): string => formatValue(scale, value);
  const more = ({ interval }: Row): string =>
    interval === null ? NOTHING : `${amount(interval.low)} to ${amount(interval.high)}`;
  const pair = ({ before, after }: Row): string => formatPair(scale, before, after);
  return [
    { title: "function", kind: "name", cell: (row) => short(row.function) },
    { title: "called by", kind: "name", dropRank: 1, cell: (row) => short(row.calledBy) },
    { title: "mostly in", kind: "name", dropRank: 3, cell: (row) => short(row.within) },
    { title: TITLES[unit], kind: "number", cell: pair },
    { title: "more by", kind: "number", dropRank: 2, cell: more },
    { title: "changed here", kind: "text", cell: isChanged },
  ];
}

function foundBy({ rounds, samples, share, rows, more }: Explanation): string {
  return [
    ...(more === 0 ? [] : [`… and ${more} more.`]),
    ...(share === null || rows.length === 0
      ? []
      : [`All named account for ${formatShare(share)} of the change that the gate measured.`]),
    `From ${formatCount(samples)} samples in ${formatCount(rounds)} rounds; the chance of naming anything where nothing differs is at most 5 %.`,
  ].join(" ");
}
