// A baseline update as the text of a pull request: what is loosened first, then what got better, what is new, and what it rests
// on. Computes nothing; everything foreign goes through markdownText or markdownCellCode.
import type { ProposedUpdate, ServiceUpdate, ValueChange } from "../model/baseline-update.ts";
import type { Waiver } from "../model/config.ts";
import { METRIC_FACTS } from "../model/metric.ts";
import { shortCommit } from "./facts.ts";
import { markdownCellCode, markdownCode, markdownText } from "./foreign.ts";
import { formatEstimate, formatFraction, formatInterval, formatPair, NOTHING } from "./format.ts";
import { describeMachine } from "./machine.ts";
import { folded, joinWithin, type Link, linkLines, type Section } from "./markdown-sections.ts";
import { tight } from "./markdown-table.ts";

/** GitHub takes 65,536 characters. */
const MAX_CHARS = 65_536 - 1536;
const MAX_ROWS = 200;

export interface UpdateTextOptions {
  /** Such as the workflow runs that measured; https only. */
  links?: readonly Link[];
  /** What a reader should know beside the numbers. */
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
  const section = (name: string, dropRank: number, lines: string[]): Section => ({
    name,
    dropRank,
    lines,
  });
  const judged = (move: ValueChange["move"]): ValueChange[] =>
    update.services
      .flatMap(({ values }) => values)
      .filter((value) => value.judged && value.move === move);
  const steady = update.services
    .flatMap(({ values }) => values)
    .filter(({ judged: isJudged, move }) => !isJudged || move === "steady" || move === "dropped");
  const loosened = judged("loosened");
  const sections = [
    section("summary", 0, summaryLines(update)),
    section("loosened values", 0, [
      ...titledTable("#### Loosened: merging accepts that these are worse", loosened, "accepted"),
    ]),
    section("waivers", 1, consumedLines(update.consumed)),
    section("tightened values", 2, titledTable("#### Tightened", judged("tightened"), "plain")),
    section(
      "new values",
      3,
      titledTable("#### New: nothing to compare with", judged("new"), "plain"),
    ),
    section("reasons", 1, causeLines(update.services)),
    section("what it rests on", 1, evidenceLines(update)),
    section(
      "values that did not move, or are not judged",
      5,
      steady.length === 0
        ? []
        : folded(
            `${steady.length} values that did not move, or are not judged`,
            table(steady, "plain"),
          ),
    ),
    section(
      "notes",
      1,
      (options.notes ?? []).map((note) => `- ${markdownText(note)}`),
    ),
    section("links", 4, linkLines(options.links ?? [])),
  ];
  return (
    joinWithin(sections, {
      maxChars: MAX_CHARS,
      whereElse: "The files of this pull request have it all.",
    }) ?? `${summaryLines(update).join("\n")}\n`
  );
}

function summaryLines(update: ProposedUpdate): string[] {
  const last = update.runs.at(-1);
  const measured =
    last === undefined
      ? ""
      : `, measured at commit ${markdownCode(shortCommit(last.commit))} on ${last.startedAt.slice(0, 10)}`;
  return [
    `### Tailgate: ${markdownText(summarize(update))}`,
    "",
    `What later runs on machines of class ${markdownCode(update.runnerClass)} are compared with${measured}. Merging accepts it.`,
    "",
    "Tailgate builds this branch anew from the newest commit of the default branch each time: what others push to it is lost.",
  ];
}

type Kind = "accepted" | "plain";

function titledTable(title: string, values: readonly ValueChange[], kind: Kind): string[] {
  return values.length === 0 ? [] : [title, "", ...table(values, kind)];
}

function table(values: readonly ValueChange[], kind: Kind): string[] {
  const accepted = kind === "accepted";
  const rows = values.slice(0, MAX_ROWS).map((value) => {
    const { label, unit } = METRIC_FACTS[value.metric];
    const name = value.scenario === null ? label : `${label} ${value.estimator ?? "pooled"}`;
    const cells = [
      markdownCellCode(value.scenario ?? value.service),
      tight(name),
      tight(formatPair(unit, value.old, value.new)),
      changeCell(value),
      noiseCell(value),
      tight(`${value.launches.old} → ${value.launches.new}`),
      ...(accepted ? [acceptedCell(value)] : []),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  const more = values.length - rows.length;
  return [
    `| scenario or service | metric | old → new | change | noise here | launches |${accepted ? " accepted by |" : ""}`,
    `|:--|:--|--:|--:|--:|--:|${accepted ? ":--|" : ""}`,
    ...rows,
    ...(more > 0 ? ["", `… and ${more} more such rows.`] : []),
  ];
}

/** In bold where it stands for something. */
function changeCell(value: ValueChange): string {
  if (value.estimate === null) return NOTHING;
  const change = tight(formatEstimate(value).replace("~", "\\~"));
  const marked = value.move === "steady" ? change : `**${change}**`;
  return `${marked} ${tight(formatInterval(value))}`;
}

function noiseCell({ noise }: ValueChange): string {
  if (noise === null) return NOTHING;
  const margin = `±${formatFraction(Math.expm1(noise.margin))}`;
  return tight(noise.from === "drift" ? `${margin} drift` : `${margin} floor`);
}

/** Short words in a cell; the waiver's own reason stands below the table. */
function acceptedCell({ waiver }: ValueChange): string {
  if (waiver === null) return "⚠️ **no waiver**";
  const upTo = `+${formatFraction(waiver.waiver.upTo)}`;
  return waiver.holds === "within"
    ? tight(`waiver up to ${upTo}`)
    : `⚠️ **${tight(`beyond its waiver of ${upTo}`)}**`;
}

function consumedLines(consumed: readonly Waiver[]): string[] {
  if (consumed.length === 0) return [];
  return [
    "#### Waivers that this uses up",
    "",
    "What they accept is in the new baseline: remove them from `tailgate.yml` once this is merged.",
    "",
    ...consumed.map((waiver) => {
      const { metric, scenario, service, upTo, expires, reason, owner } = waiver;
      const where = [service, scenario].filter((part) => part !== null).join("/");
      return `- ${METRIC_FACTS[metric].label} of ${markdownCode(where)}, up to +${formatFraction(upTo)} until ${expires}: ${markdownText(`${reason} (${owner})`)}`;
    }),
  ];
}

function causeLines(services: readonly ServiceUpdate[]): string[] {
  return [
    "#### Why",
    "",
    ...services.map(({ service, text, previous }) => {
      const since =
        previous === null
          ? ""
          : `; before: ${previous.recordedAt.slice(0, 10)}, commit ${markdownCode(shortCommit(previous.source.commit))}`;
      return `- ${markdownCode(service)}: ${markdownText(text)}${since}`;
    }),
  ];
}

function evidenceLines({ runs, fingerprint, runnerClass }: ProposedUpdate): string[] {
  return [
    "#### What it rests on",
    "",
    `- machine: ${markdownText(`${describeMachine(fingerprint)}, ${fingerprint.generator}, class ${runnerClass}`)}`,
    ...runs.map(
      ({ id, startedAt, commit, subject, rounds, use }) =>
        `- run ${markdownCode(id)} of ${startedAt.slice(0, 10)}, ${rounds} rounds, commit ${markdownCode(shortCommit(commit))} ${markdownText(`"${subject}"`)}: ${use === "values" ? "its values become the baseline" : "its medians enter the history"}`,
    ),
    "- change: exact rank-sum estimate with its 95 % interval, launches of one day against launches of another; moved is what the same test puts beyond the noise shown, at the policy's alpha shared by all judged values.",
  ];
}
