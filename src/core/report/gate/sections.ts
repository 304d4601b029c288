// A report as the sections of comment, job summary, report.md, terminal and page.

import type { Caution, WaiverState } from "../../model/fault.ts";
import type { Report } from "../../model/report.ts";
import type { Comparison, Verdict, WaiverOutcome } from "../../model/verdict.ts";
import type { Block, ColumnOf, Document, Item, Section, Text } from "../kit/blocks.ts";
import { details, facts, list, note, paragraph, section } from "../kit/blocks.ts";
import { buildTable, describeSource } from "../provenance.ts";
import { explanationBlocks } from "../words/explanation.ts";
import { MOST_LISTED } from "../words/names.ts";
import { countStates, restsOnWaiver, verdictFacts, verdictStyle } from "../words/states.ts";
import { describeOneArm, describeUnchanged, reasonsBeyondSummary } from "../words/verdict.ts";
import { comparisonTable, hasLimit, infoTable, LIMIT, legend } from "./comparison-table.ts";
import { measurementFacts, reproduceCommands } from "./facts.ts";

/** In the order they are read. What a text that is too long loses: the highest first; 0 stays. */
const DROP = {
  explanation: 3,
  "next steps": 2,
  "changed metrics": 0,
  reasons: 2,
  "what the base branch's configuration changed": 1,
  "whose change it is": 3,
  "on the default branch": 5,
  "gated metrics": 0,
  "watched metrics": 7,
  "what was compared": 3,
  waivers: 2,
  warnings: 4,
  plots: 0,
  "all judged metrics": 9,
  "comparisons with the stored baseline": 10,
  "metrics that are not judged": 12,
  "how it was measured": 6,
  "host findings": 8,
  builds: 11,
  "how to reproduce": 5,
  "where more is": 0,
} as const;

type SectionName = keyof typeof DROP;

/** What a medium adds, or shows otherwise; a section without blocks is not shown. */
export type Content = Partial<Record<SectionName, Section>>;

export function gateDocument(report: Report, own: Content, summary: Block[] = []): Document {
  const content: Content = { ...sharedContent(report), ...own };
  return {
    mark: { ...verdictFacts(report.verdict), like: verdictStyle(report.verdict) },
    headline: report.verdict.summary,
    summary,
    sections: (Object.keys(DROP) as SectionName[]).flatMap((name) => {
      const shown = content[name];
      return shown === undefined ? [] : [{ ...shown, name, drop: DROP[name] }];
    }),
  };
}

function sharedContent(report: Report): Content {
  const { verdict, host, artifacts } = report;
  const { stored, waivers } = verdict;
  const info = ofLevel(verdict.comparisons, "info");
  const findings = host.findings.filter(({ level }) => level !== "good");
  const bad = findings.filter(({ level }) => level === "bad").length;
  const { warnings, notes } = splitWarnings(verdict);
  const commands = reproduceCommands(report);
  return {
    explanation: section("Why it is red", ...explanationBlocks(report)),
    "next steps": section("What to do next", list(verdict.next, 6)),
    reasons: section("Why", list(reasonsToTell(verdict), 8)),
    "what was compared": section("", paragraph(countLine(report)), paragraph(comparedLine(report))),
    waivers: section("Waivers", list(waivers.map(waiverItem), 20)),
    warnings: section("Warnings", list(texts(warnings), 10)),
    "comparisons with the stored baseline": details(
      "Against the stored baseline (context, not the verdict)",
      ...comparisonTable("folded", stored, { maxRows: 200 }),
    ),
    "metrics that are not judged": details(
      `${info.length} metrics that are shown, not judged`,
      ...infoTable(info),
    ),
    "how it was measured": details(
      "How it was measured",
      facts(measurementFacts(report)),
      list(texts(notes), 20),
    ),
    "host findings": details(
      `Findings on the machine: ${bad} bad, ${findings.length - bad} to note`,
      list(findings.map(findingItem)),
    ),
    builds: details("Builds", buildTable(artifacts, "named")),
    "how to reproduce": details(
      "How to repeat this run",
      commands === null
        ? paragraph(
            "The candidate had uncommitted changes or no plain commit id, so no command can name it.",
          )
        : { kind: "code", lines: commands },
    ),
  };
}

function passes({ state }: Pick<Verdict, "state">): boolean {
  return state === "pass" || state === "improved";
}

function countLine({ verdict }: Report): string {
  const gated = ofLevel(verdict.comparisons, "gate");
  // The summary of what passes says what only one arm has.
  const beside = [
    describeUnchanged(verdict.unchanged),
    passes(verdict) ? "" : describeOneArm(verdict.oneArm),
  ].flatMap((words) => (words === "" ? [] : `${words}. `));
  // As the summary counts them: wrong answers have no margin.
  const counts = [...Map.groupBy(gated, ({ answers }) => answers === undefined)].map(
    ([hasMargin, some]) =>
      // A pass has said so of all that have a margin.
      passes(verdict) && some.every(({ state }) => state === "pass")
        ? ""
        : `${some.length} ${hasMargin ? "gated metric" : "share"}${some.length === 1 ? "" : "s"}${hasMargin ? "" : " of wrong answers"}: ${countStates(some)}. `,
  );
  return `${counts.join("")}${beside.join("")}`.trim();
}

function comparedLine({ sources: { candidate, reference, references = {} }, run }: Report): Text {
  const others = Object.entries(references).flatMap(([service, source]) =>
    source === null ? [] : [`; ${service} with `, ...describeSource(source)],
  );
  const against =
    reference === null
      ? [`, measured alone (compare: ${run.compare}).`]
      : [", compared with ", ...describeSource(reference), ...others, "."];
  return ["Candidate ", ...describeSource(candidate), ...against];
}

/** Of Markdown: what did not simply pass is open, everything judged is folded. */
export function markdownContent(report: Report, maxRows: number): Content {
  const judged = report.verdict.comparisons.filter(({ level }) => level !== "info");
  const changed = judged.filter(({ state }) => state !== "pass");
  return {
    "changed metrics": section("", ...comparisonTable("comment", changed, { maxRows })),
    "all judged metrics": details(
      `All judged metrics (${judged.length}): ${countStates(judged)}`,
      ...comparisonTable("folded", judged),
      legend(judged, "emoji"),
    ),
  };
}

/** Of the page, and of a terminal with details: every gated metric, then what is only watched. */
export function tableContent(
  { verdict }: Report,
  own: readonly ColumnOf<Comparison>[] = [],
  ...belowGated: Block[]
): Content {
  const gated = ofLevel(verdict.comparisons, "gate");
  const watched = ofLevel(verdict.comparisons, "warn");
  const quiet = watched.every(({ state }) => state === "pass");
  return {
    "next steps": section("What to do next", list(nextSteps(verdict))),
    "gated metrics": section(
      "Gated metrics",
      ...comparisonTable("page", gated, { role: "deciding", own }),
      legend(gated, "symbol"),
      ...belowGated,
    ),
    "watched metrics": (quiet ? details : section)(
      watchedTitle(watched),
      ...comparisonTable("page", watched, { own }),
    ),
  };
}

/** More rows than a terminal has lines are read elsewhere. */
const MAX_SHORT_ROWS = 16;

/** Of a terminal: what a screen has room for. */
export function shortContent({ verdict }: Report): Content {
  const gated = ofLevel(verdict.comparisons, "gate");
  const watched = ofLevel(verdict.comparisons, "warn").filter(({ state }) => state !== "pass");
  return {
    ...(passes(verdict)
      ? { "next steps": section("", ...nextSteps(verdict).map((step) => paragraph(step))) }
      : {}),
    "gated metrics": section(
      "",
      ...comparisonTable("screen", gated, { role: "deciding", maxRows: MAX_SHORT_ROWS }),
      note(gated.some(hasLimit) ? LIMIT : ""),
    ),
    "watched metrics": section(
      watchedTitle(watched),
      ...comparisonTable("screen", watched, { maxRows: MAX_SHORT_ROWS }),
    ),
  };
}

function watchedTitle(watched: readonly Comparison[]): string {
  return `Watched, not gating: ${countStates(watched)}`;
}

/** Never empty for a pass. */
function nextSteps(verdict: Verdict): string[] {
  const { next } = verdict;
  if (next.length > 0 || !passes(verdict)) return next;
  if (restsOnWaiver(verdict)) {
    return ["Nothing to do now: a waiver, shown below, accepts what is worse until it expires."];
  }
  const below = splitWarnings(verdict).warnings.length > 0 ? " Warnings block nothing." : "";
  return [`Nothing to do: by its gated metrics this change can be merged.${below}`];
}

/** Reasons that neither headline nor rows have said. */
function reasonsToTell(verdict: Verdict): string[] {
  if (verdict.state === "improved") return [];
  if (verdict.state !== "regressed") return reasonsBeyondSummary(verdict);
  const byId = new Map(verdict.comparisons.map((one) => [one.id, one]));
  return verdict.reasons.filter((_, i) => {
    const { finding, comparison } = verdict.causes[i] ?? {};
    const { growth, slowAnswers } = byId.get(comparison ?? "") ?? {};
    const isListed = i < MOST_LISTED;
    return finding?.code === "fault" || growth !== undefined || (slowAnswers && !isListed);
  });
}

/** Remarks on the configuration and on uncommitted changes: notes rather than warnings. */
const NOTES: ReadonlySet<Caution["code"]> = new Set(["thin", "generator-slack", "uncommitted"]);

export function splitWarnings({ warnings }: Pick<Verdict, "warnings">) {
  const isNote = ({ caution }: Verdict["warnings"][number]): boolean => NOTES.has(caution.code);
  const notes = warnings.filter(isNote);
  return { warnings: warnings.filter((warning) => !isNote(warning)), notes };
}

export function texts(warnings: readonly { text: string }[]): string[] {
  return warnings.map(({ text }) => text);
}

function findingItem({ id, level, text, fix }: Report["host"]["findings"][number]): Item {
  return { label: level === "bad" ? "bad" : "note", text: [{ code: id }, `: ${text}`], fix };
}

function ofLevel(comparisons: readonly Comparison[], level: Comparison["level"]): Comparison[] {
  return comparisons.filter((comparison) => comparison.level === level);
}

const WAIVER_EMOJI: Readonly<Record<WaiverState, string>> = {
  exceeded: "❌",
  expired: "⌛",
  used: "🟠",
  undecided: "🟡",
  unused: "🧹",
};

function waiverItem({ waiver, origin, state, text }: WaiverOutcome): Item {
  const brought = origin === "change" ? "; brought by this change" : "";
  const under = `because: ${waiver.reason}; owner: ${waiver.owner}${brought}`;
  return { label: state, emoji: WAIVER_EMOJI[state], text, under };
}
