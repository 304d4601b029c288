// A baseline update as a pull request's text: what is loosened, what got better, what is new. Or why
// a run cannot become a baseline.
import type {
  ProposedUpdate,
  Refusal,
  ServiceUpdate,
  ValueChange,
} from "../baseline/update/model.ts";
import type { Waiver } from "../model/config.ts";
import { METRIC_FACTS } from "../model/metric.ts";
import {
  formatEstimate,
  formatFraction,
  formatInterval,
  formatPair,
  NOTHING,
} from "../text/format.ts";
import {
  type Block,
  type Cell,
  type Column,
  list,
  moreRows,
  note,
  paragraph,
  type Section,
  type Text,
  tableOf,
} from "./kit/blocks.ts";
import { blockLines, fitMarkdown, type Link, linkLine } from "./kit/markdown.ts";
import { describeMachine, shortCommit } from "./provenance.ts";
import { describeEnd, describeFault } from "./words/faults.ts";
import { describeFinding } from "./words/findings.ts";
import { metricName } from "./words/names.ts";

/** GitHub takes 65,536 characters. */
const MAX_CHARS = 65_536 - 1536;
const MAX_ROWS = 200;

interface UpdateTextOptions {
  /** Such as the workflow runs that measured; https only. */
  links?: readonly Link[];
  notes?: readonly string[];
}

/** `Baselines of metal-a: 2 values loosened, 1 tightened`. */
export function renderUpdateTitle(update: ProposedUpdate): string {
  return `Baselines of ${update.runnerClass}: ${summarize(update)}`;
}

function summarize({ services }: ProposedUpdate): string {
  const values = services.flatMap((service) => service.values).filter(({ judged }) => judged);
  const count = (move: ValueChange["move"]): number =>
    values.filter((value) => value.move === move).length;
  const counted = (n: number): string => (n === 1 ? "1 value" : `${n} values`);
  const [loosened, tightened, added] = [count("loosened"), count("tightened"), count("new")];
  const parts = [
    ...(loosened > 0 ? [`${counted(loosened)} loosened`] : []),
    ...(tightened > 0 ? [`${counted(tightened)} tightened`] : []),
    ...(added > 0 ? [`${counted(added)} new`] : []),
  ];
  return parts.length === 0 ? "renewed, nothing moved" : parts.join(", ");
}

export function renderUpdateBody(update: ProposedUpdate, options: UpdateTextOptions = {}): string {
  const values = update.services.flatMap((service) => service.values);
  const judged = (move: ValueChange["move"]): ValueChange[] =>
    values.filter((value) => value.judged && value.move === move);
  const steady = values.filter(
    ({ judged: isJudged, move }) => !isJudged || move === "steady" || move === "dropped",
  );
  const part = (name: string, drop: number, title: string, ...blocks: Block[]): Section => ({
    name,
    drop,
    title,
    depth: "open",
    blocks,
  });
  const steadyTitle = `${steady.length} values that did not move, or are not judged`;
  const sections = [
    part(
      "loosened values",
      0,
      "Loosened: merging accepts that these are worse",
      ...table(judged("loosened"), "accepted"),
    ),
    part(
      "waivers",
      1,
      "Waivers that this uses up",
      list(update.consumed.map(consumedItem)),
      note(
        "What they accept is in the new baseline: remove them from tailgate.yml once this is merged.",
      ),
    ),
    part("tightened values", 2, "Tightened", ...table(judged("tightened"), "plain")),
    part("new values", 3, "New: nothing to compare with", ...table(judged("new"), "plain")),
    part("reasons", 1, "Why", list(update.services.map(causeItem))),
    part("what it rests on", 1, "What it rests on", ...evidence(update)),
    {
      ...part("steady values", 5, steadyTitle, ...table(steady, "plain")),
      depth: "details" as const,
    },
    part("notes", 1, "Notes", list(options.notes ?? [])),
  ];
  const head = summaryLines(update);
  const links = linkLine(options.links ?? []);
  const text =
    fitMarkdown(head, sections, {
      maxChars: MAX_CHARS - links.length - 2,
      whereElse: "The files of this pull request have it all.",
    }) ?? `${head.join("\n")}\n`;
  return links === "" ? text : `${text}\n${links}\n`;
}

function summaryLines(update: ProposedUpdate): string[] {
  const { commit, startedAt } = update.run;
  const measured: Text = [
    ", measured at commit ",
    { code: shortCommit(commit) },
    ` on ${startedAt.slice(0, 10)}`,
  ];
  const paragraphs: Text[] = [
    [
      "What later runs on machines of class ",
      { code: update.runnerClass },
      " are compared with",
      ...measured,
      ". Merging accepts it.",
    ],
    "Tailgate builds this branch anew from the newest commit of the default branch each time: what others push to it is lost.",
  ];
  return [
    `### Tailgate: ${summarize(update)}`,
    ...paragraphs.flatMap((text) => ["", ...blockLines(paragraph(text))]),
  ];
}

function table(values: readonly ValueChange[], kind: "accepted" | "plain"): Block[] {
  const accepted: Column[] = kind === "accepted" ? [{ title: "accepted by", kind: "text" }] : [];
  return [
    tableOf(
      [
        { title: "scenario or service", kind: "name" },
        { title: "metric", kind: "text" },
        { title: "old → new", kind: "number" },
        { title: "change", kind: "number" },
        { title: "interval", kind: "number", joined: true },
        { title: "noise here", kind: "number" },
        { title: "launches", kind: "number" },
        ...accepted,
      ],
      values.slice(0, MAX_ROWS).map((value): Cell[] => [
        value.scenario ?? value.service,
        metricName({ metric: value.metric, estimator: estimatorOf(value) }),
        formatPair(METRIC_FACTS[value.metric].unit, value.old, value.new),
        // In bold where it stands for something.
        {
          text: formatEstimate(value),
          emphasis: value.move === "steady" || value.estimate === null ? undefined : "strong",
        },
        value.estimate === null ? "" : formatInterval(value),
        describeNoise(value),
        `${value.launches.old} → ${value.launches.new}`,
        ...(kind === "accepted" ? [acceptedCell(value)] : []),
      ]),
    ),
    moreRows(values.length - MAX_ROWS),
  ];
}

function estimatorOf({ scenario, estimator }: ValueChange) {
  return scenario === null ? "launch" : (estimator ?? "pooled");
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

function consumedItem({ metric, scenario, service, upTo, expires, reason, owner }: Waiver) {
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
      return `the run is not complete: ${describeEnd(refusal.ended)}`;
    case "uncommitted":
      return "its candidate had uncommitted changes";
    case "few-launches":
      return `inconclusive: ${refusal.service} ${refusal.key} has ${refusal.launches} launches under the whole load, ${refusal.needed} are needed`;
    case "undecided":
      return `inconclusive: ${describeFinding(refusal.comparison)}`;
  }
}
