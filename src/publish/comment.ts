// The one comment of a pull request: the verdict at a glance, what changed, whose numbers these are, what to do; the rest folded.
// Always below GitHub's limit, by leaving out in stages and saying so. Everything foreign goes through `prose`, code or a fence.
import { assertInvariant } from "../base/errors.ts";
import type { Report } from "../model/report.ts";
import { describeSource, shortCommit } from "../report/facts.ts";
import { markdownCode } from "../report/foreign.ts";
import {
  buildLines,
  findingLines,
  folded,
  joinWithin,
  type Link,
  linkLines,
  listOf,
  measurementLines,
  reproduceLines,
  type Section,
  titled,
} from "../report/markdown-sections.ts";
import { comparisonTable, infoTable, TABLE_LEGEND } from "../report/markdown-table.ts";
import { ofLevel } from "../report/rows.ts";
import { countStates, headlineAfterState, restsOnWaiver, verdictFacts } from "../report/states.ts";
import { waiverLines } from "../report/waivers.ts";
import { blameTable } from "./blame.ts";
import { changedTable } from "./changed-table.ts";
import type { Manifest } from "./manifest.ts";
import { type CommentIdentity, type CommentOrigin, renderMarker } from "./marker.ts";
import { prose } from "./prose.ts";

/** GitHub refuses 65,536 characters and more; counted in UTF-16 units, which are never fewer. */
export const MAX_COMMENT_CHARS = 65_000;

const MAX_NOTES = 20;

export interface CommentContext {
  identity: CommentIdentity;
  origin: CommentOrigin;
  /**
   * Who vouches for the numbers. `own`: a job that ran on the repository's own terms published what it measured. `attested`: the
   * verdict was recomputed here, from what a job that runs the pull request's code and workflow had written down.
   */
  trust: "own" | "attested";
  /** What verdictForBase had to say; foreign text. */
  notes: readonly string[];
  /** What came with the samples; null: nothing, they were made in this job. */
  manifest: Manifest | null;
  /** The workflow run. */
  runUrl: string;
  /** The artifact that the verdict was made from; null: none yet, it is uploaded after the job's own comment. */
  samplesUrl: string | null;
  maxChars?: number;
}

const WHERE_ELSE = "The summary of the workflow run has more.";

export function renderComment(report: Report, context: CommentContext): string {
  const maxChars = context.maxChars ?? MAX_COMMENT_CHARS;
  assertInvariant(maxChars >= 4000, "a comment has room for its verdict");
  for (const maxRows of [200, 50, 15, 5]) {
    const text = joinWithin(sectionsOf(report, context, maxRows), {
      maxChars,
      whereElse: WHERE_ELSE,
    });
    if (text !== null) return text;
  }
  return `${[
    ...verdictLines(report, context),
    "",
    ...trustLines(context).flatMap((line) => [line, ""]),
    `_Everything else is left out: it does not fit into a comment. ${WHERE_ELSE}_`,
  ].join("\n")}\n`;
}

/** Nothing that anybody has to read: with the policy `on-change` such a result makes no comment. */
export function isPlainPass({ verdict }: Report, notes: readonly string[]): boolean {
  return (
    verdict.state === "pass" &&
    !restsOnWaiver(verdict) &&
    verdict.warnings.length === 0 &&
    verdict.waivers.length === 0 &&
    notes.length === 0
  );
}

function sectionsOf(report: Report, context: CommentContext, maxRows: number): Section[] {
  const { comparisons, stored, warnings, next } = report.verdict;
  const judged = comparisons.filter(({ level }) => level !== "info");
  const info = ofLevel(comparisons, "info");
  const list = (title: string, texts: readonly string[], max: number): string[] =>
    titled(`**${title}**`, listOf(texts, max, prose));
  const section = (name: string, dropRank: number, lines: string[]): Section => ({
    name,
    lines,
    dropRank,
  });
  return [
    section("verdict", 0, verdictLines(report, context)),
    section("whose numbers these are", 0, trustLines(context)),
    section("changed metrics", 0, changedLines(report, maxRows)),
    section("reasons", 2, titled("**Why**", listOf(reasonsToTell(report), 5, prose))),
    section("what the base branch's configuration changed", 1, noteLines(context)),
    section("whose change it is", 3, blameTable(report)),
    section("waivers", 2, titled("**Waivers**", waiverLines(report.verdict, 20, prose))),
    section(
      "warnings",
      4,
      list(
        "Warnings",
        warnings.map(({ text }) => text),
        10,
      ),
    ),
    section("next steps", 2, list("What to do next", next, 6)),
    section(
      "all judged metrics",
      9,
      folded(`All ${judged.length} judged metrics: ${countStates(judged) || "none"}`, [
        ...comparisonTable(judged, 400),
        "",
        TABLE_LEGEND,
      ]),
    ),
    section(
      "comparisons with the stored baseline",
      10,
      stored.length === 0
        ? []
        : folded(
            "Against the stored baseline (context, not the verdict)",
            comparisonTable(stored, 200),
          ),
    ),
    section(
      "metrics that are not judged",
      12,
      info.length === 0
        ? []
        : folded(`${info.length} metrics that are shown, not judged`, infoTable(info)),
    ),
    section("how it was measured", 6, measuredLines(report, context)),
    section("host findings", 8, findingLines(report, prose)),
    section("builds", 11, buildLines(report)),
    section("how to reproduce", 5, reproduceLines(report)),
    section("links", 0, footerLines(context)),
  ];
}

function verdictLines({ verdict, config }: Report, { identity, origin }: CommentContext): string[] {
  const { emoji, word, meaning } = verdictFacts(verdict);
  const gated = ofLevel(verdict.comparisons, "gate");
  return [
    renderMarker(identity, origin),
    titleLine(identity, emoji, word),
    "",
    // Nothing in bold would be a rule across the comment.
    `**${prose(headlineAfterState(verdict)) || meaning}**`,
    "",
    `${gated.length} gated metrics: ${countStates(gated) || "none"}. Runner class ${markdownCode(config.runner.class)}.`,
  ];
}

/** Also of a notice: the gate's name stands in it where it is not the only one. */
export function titleLine({ key }: CommentIdentity, emoji: string, word: string): string {
  return `### ${emoji} Tailgate${key === "default" ? "" : ` (${markdownCode(key)})`}: ${word}`;
}

function trustLines({ trust }: CommentContext): string[] {
  switch (trust) {
    case "own":
      return [];
    case "attested":
      return [
        "> **Numbers attested by the pull request's own job.** The verdict was recomputed from them with the configuration, limits and baselines of the base branch. But that job ran the pull request's code, and what it wrote down cannot be checked from here: latencies, memory, machine and durations are by its own account.",
      ];
  }
}

function changedLines(report: Report, maxRows: number): string[] {
  const { sources, verdict, run } = report;
  const changed = verdict.comparisons.filter(
    ({ level, state }) => level !== "info" && state !== "pass",
  );
  const table = changedTable(changed, maxRows);
  const against =
    sources.reference === null
      ? `nothing beside it (${run.compare})`
      : sourceText(sources.reference);
  return [
    ...table,
    ...(table.length === 0 ? [] : ["", TABLE_LEGEND, ""]),
    `Candidate ${sourceText(sources.candidate)}, compared with ${against}.`,
  ];
}

function sourceText(source: Report["sources"]["candidate"]): string {
  const rest = describeSource(source).slice(shortCommit(source.commit).length);
  return `${markdownCode(shortCommit(source.commit))} ${prose(rest)}`;
}

/** What neither the headline nor the rows have said; the rows of a regression say it with more numbers. */
function reasonsToTell({ verdict }: Report): string[] {
  if (verdict.state === "regressed" || verdict.state === "improved") return [];
  const headline = headlineAfterState(verdict);
  return verdict.reasons.filter((reason) => reason !== headline);
}

function noteLines({ notes }: CommentContext): string[] {
  const items = notes.slice(0, MAX_NOTES).map((note) => `- ${prose(note)}`);
  const more = notes.length > MAX_NOTES ? [`- and ${notes.length - MAX_NOTES} more`] : [];
  return titled("**Judged by the base branch**", [...items, ...more]);
}

function measuredLines(report: Report, { trust, manifest, origin }: CommentContext): string[] {
  const account = trust === "attested" ? ", by the job's own account" : "";
  const handed =
    manifest === null
      ? []
      : [
          `- handed over by ${prose(manifest.tool)}, which names run ${manifest.run.id}, attempt ${manifest.run.attempt}; GitHub names run ${origin.runId}, attempt ${origin.attempt}`,
        ];
  return folded(`How it was measured${account}`, [...measurementLines(report, prose), ...handed]);
}

/** Of a notice as well: where more is to be found, and what the comment is of. */
export function footerLines({
  origin,
  runUrl,
  samplesUrl,
}: Pick<CommentContext, "origin" | "runUrl" | "samplesUrl">): string[] {
  const links: Link[] = [{ label: "Workflow run", url: runUrl }];
  if (samplesUrl !== null) links.push({ label: "Samples", url: samplesUrl });
  const attempt = origin.attempt === 1 ? "" : `, attempt ${origin.attempt}`;
  return [
    [
      ...linkLines(links),
      `commit ${markdownCode(shortCommit(origin.headSha))}, run ${origin.runId}${attempt}`,
    ].join(" · "),
  ];
}
