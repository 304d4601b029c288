// A baseline update as a pull request's text: what is loosened, what got better, what is new. Or why
// a run cannot become a baseline.
import type {
  ProposedUpdate,
  Refusal,
  ServiceUpdate,
  ValueChange,
} from "../../src/core/baseline/update/model.ts";
import type { Waiver } from "../../src/core/model/config.ts";
import { METRIC_FACTS, subjectOf } from "../../src/core/model/metric.ts";
import { machineName } from "../../src/core/model/workload.ts";
import type { Block, Cell, ColumnOf, Section, Text } from "../../src/core/report/kit/blocks.ts";
import {
  list,
  moreRows,
  note,
  paragraph,
  section,
  tableAbout,
} from "../../src/core/report/kit/blocks.ts";
import {
  blockLines,
  fitMarkdown,
  type Link,
  linkLine,
} from "../../src/core/report/kit/markdown.ts";
import { describeMachine, shortCommit } from "../../src/core/report/provenance.ts";
import { describeFault, END_WORDS } from "../../src/core/report/words/faults.ts";
import { describeFinding } from "../../src/core/report/words/findings.ts";
import { metricName } from "../../src/core/report/words/names.ts";
import {
  formatEstimate,
  formatFraction,
  formatInterval,
  formatPair,
  NOTHING,
} from "../../src/core/text/format.ts";

/** GitHub takes 65,536 characters. */
const MAX_CHARS = 65_536 - 1536;
const MAX_ROWS = 200;

interface UpdateTextOptions {
  /** Such as the workflow runs that measured; https only. */
  links?: readonly Link[];
  notes?: readonly string[];
}

const CONSUMED = note(
  "What they accept is in the new baseline: remove them from tailgate.yml once this is merged.",
);

/** `Baselines of metal-a on AMD EPYC, 4 CPUs: 2 values loosened, 1 value tightened`. */
export function renderUpdateTitle(update: ProposedUpdate): string {
  return `Baselines of ${update.runnerClass} on ${machineName(update.fingerprint)}: ${summarize(update)}`;
}

function summarize(update: ProposedUpdate): string {
  const values = valuesByMove(update);
  const parts = (["loosened", "tightened", "new"] as const).flatMap((move) => {
    const count = values.get(move)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${count === 1 ? "value" : "values"} ${move}`];
  });
  return parts.length === 0 ? "renewed, nothing moved" : parts.join(", ");
}

/** As `steady` count also those that are not judged, or not measured any more. */
function valuesByMove({ services }: ProposedUpdate) {
  return Map.groupBy(
    services.flatMap(({ values }) => values),
    ({ judged, move }) => (judged && move !== "dropped" ? move : "steady"),
  );
}

export function renderUpdateBody(update: ProposedUpdate, options: UpdateTextOptions = {}): string {
  const values = valuesByMove(update);
  const {
    loosened = [],
    tightened = [],
    new: added = [],
    steady = [],
  } = Object.fromEntries(values);
  const part = (name: string, drop: number, title: string, ...blocks: Block[]): Section => ({
    ...section(title, ...blocks),
    name,
    drop,
  });
  const worse = "Loosened: merging accepts that these are worse";
  const unmoved = `${steady.length} values that did not move, or are not judged`;
  const sections: Section[] = [
    part("loosened values", 0, worse, ...table(loosened, [ACCEPTED])),
    part(
      "waivers",
      1,
      "Waivers that this uses up",
      list(update.consumed.map(waiverItem)),
      CONSUMED,
    ),
    part("tightened values", 2, "Tightened", ...table(tightened)),
    part("new values", 3, "New: nothing to compare with", ...table(added)),
    part("reasons", 1, "Why", list(update.services.map(causeItem))),
    part("what it rests on", 1, "What it rests on", ...evidence(update)),
    { ...part("steady values", 5, unmoved, ...table(steady)), depth: "details" },
    part("notes", 1, "Notes", list(options.notes ?? [])),
  ];
  const head = summaryLines(update);
  const fitting = fitMarkdown(head, sections, {
    maxChars: MAX_CHARS,
    whereElse: "The files of this pull request have it all.",
    footer: linkLine(options.links ?? []),
  });
  return fitting ?? `${head.join("\n")}\n`;
}

function summaryLines(update: ProposedUpdate): string[] {
  const { commit, startedAt } = update.run;
  const paragraphs: Text[] = [
    [
      "What later runs on machines of class ",
      { code: update.runnerClass },
      " are compared with, measured at commit ",
      { code: shortCommit(commit) },
      ` on ${startedAt.slice(0, 10)}. Merging accepts it.`,
    ],
    "Tailgate builds this branch anew from the newest commit of the default branch each time: what others push to it is lost.",
  ];
  return [
    `### Tailgate: ${summarize(update)}`,
    ...paragraphs.flatMap((text) => ["", ...blockLines(paragraph(text))]),
  ];
}

const COLUMNS: readonly ColumnOf<ValueChange>[] = [
  { title: "scenario or service", kind: "name", cell: subjectOf },
  { title: "metric", kind: "text", cell: metricName },
  {
    title: "old → new",
    kind: "number",
    cell: (one) => formatPair(METRIC_FACTS[one.metric].unit, one.old, one.new),
  },
  { title: "change", kind: "number", cell: changeCell },
  {
    title: "interval",
    kind: "number",
    joined: true,
    cell: (one) => (one.estimate === null ? "" : formatInterval(one)),
  },
  { title: "noise here", kind: "number", cell: describeNoise },
  {
    title: "launches",
    kind: "number",
    cell: ({ launches }) => `${launches.old} → ${launches.new}`,
  },
];

const ACCEPTED: ColumnOf<ValueChange> = { title: "accepted by", kind: "text", cell: acceptedCell };

function table(
  values: readonly ValueChange[],
  more: readonly ColumnOf<ValueChange>[] = [],
): Block[] {
  return [
    tableAbout(values.slice(0, MAX_ROWS), [...COLUMNS, ...more]),
    moreRows(values.length - MAX_ROWS),
  ];
}

/** In bold where it stands for something. */
function changeCell(value: ValueChange): Cell {
  const stands = value.move !== "steady" && value.estimate !== null;
  return { text: formatEstimate(value), emphasis: stands ? "strong" : undefined };
}

function describeNoise({ noise }: ValueChange): string {
  if (noise === null) return NOTHING;
  const margin = `±${formatFraction(Math.expm1(noise.margin))}`;
  return noise.from === "drift" ? `${margin} drift` : `${margin} floor`;
}

/** Short words in a cell; the waiver's own reason stands below the table. */
function acceptedCell({ waiver }: ValueChange): Cell {
  if (waiver === null) return { text: "⚠️ no waiver", emphasis: "strong" };
  const upTo = `+${formatFraction(waiver.waiver.upTo)}`;
  return waiver.holds === "within"
    ? `waiver up to ${upTo}`
    : { text: `⚠️ beyond its waiver of ${upTo}`, emphasis: "strong" };
}

function waiverItem({ metric, scenario, service, upTo, expires, reason, owner }: Waiver) {
  const where = [service, scenario].filter((part) => part !== null).join("/");
  return {
    text: [
      `${METRIC_FACTS[metric].label} of `,
      { code: where },
      `, up to +${formatFraction(upTo)} until ${expires}: ${reason} (${owner})`,
    ],
  };
}

function causeItem({ service, text, previous }: ServiceUpdate) {
  const since =
    previous === null
      ? []
      : [
          `; before: ${previous.recordedAt.slice(0, 10)}, commit `,
          { code: shortCommit(previous.source.commit) },
        ];
  return { text: [{ code: service }, `: ${text}`, ...since] };
}

function evidence({ run, fingerprint, runnerClass }: ProposedUpdate): Block[] {
  const { id, startedAt, commit, subject, rounds } = run;
  const machine = `${describeMachine(fingerprint)}, ${fingerprint.generator}, class ${runnerClass}`;
  return [
    list([
      `machine: ${machine}`,
      {
        text: [
          "run ",
          { code: id },
          ` of ${startedAt.slice(0, 10)}, ${rounds} rounds, commit `,
          { code: shortCommit(commit) },
          ` "${subject}": its values become the baseline`,
        ],
      },
    ]),
    note(
      "change: exact rank-sum estimate with its 95 % interval, launches of one day against launches of another; moved is what the same test puts beyond the noise shown, at the policy's alpha shared by all judged values.",
    ),
  ];
}

/** Lines after the first are what a service or a tool said. */
export function describeRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "fault":
      return describeFault(refusal.fault);
    case "incomplete":
      return `the run is not complete: ${END_WORDS[refusal.ended]}`;
    case "uncommitted":
      return "its candidate had uncommitted changes";
    case "few-launches":
      return `inconclusive: ${refusal.service} ${refusal.key} has ${refusal.launches} launches under the whole load, ${refusal.needed} are needed`;
    case "undecided":
      return `inconclusive: ${describeFinding(refusal.comparison)}`;
  }
}
