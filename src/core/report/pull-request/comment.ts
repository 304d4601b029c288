// The one comment of a pull request.
import type { HistoryRecord } from "../../model/history.ts";
import type { Manifest } from "../../model/manifest.ts";
import type { Report } from "../../model/report.ts";
import { markdownCode } from "../../text/escape.ts";
import { measurementFacts } from "../gate/facts.ts";
import { fitReport } from "../gate/markdown.ts";
import { splitWarnings, texts } from "../gate/sections.ts";
import { details, facts, list, paragraph, section } from "../kit/blocks.ts";
import { linkLine } from "../kit/markdown.ts";
import { shortCommit } from "../provenance.ts";
import { isPlain, verdictFacts } from "../words/states.ts";
import { blameBlocks } from "./blame.ts";
import { type CommentIdentity, type CommentOrigin, renderMarker } from "./marker.ts";
import { sparklines } from "./sparkline.ts";

/** GitHub refuses 65,536 characters and more; counted in UTF-16 units, which are never fewer. */
export const MAX_COMMENT_CHARS = 65_000;

const MAX_NOTES = 20;
const MAX_PATHS = 5;

const PAGE = [
  "Percentile curves and plots of rounds are in ",
  { code: "report.html" },
  ": an artifact of the run where its workflow uploads it, else made from the samples by ",
  { code: "tailgate judge samples.v1.json --out report" },
  ".",
];

const ATTESTED =
  "> **Numbers attested by the pull request's own job.** The verdict was recomputed from them with the configuration, limits and baselines of the base branch. But that job ran the pull request's code, and what it wrote down cannot be checked from here: latencies, memory, machine and durations are by its own account.";

export interface CommentContext {
  identity: CommentIdentity;
  origin: CommentOrigin;
  /**
   * Who vouches for the numbers. `own`: the repository's own job. `attested`: recomputed from what
   * the pull request's job wrote.
   */
  trust: "own" | "attested";
  notes: readonly string[];
  /** Branch that it goes into, and the commit of it whose rules count. Foreign text. */
  base: { ref: string; commit: string };
  /** What came with the samples; null: nothing, they were made in this job. */
  manifest: Manifest | null;
  runUrl: string;
  /** The artifact of the samples; null: it is uploaded after the comment. */
  samplesUrl: string | null;
  /** The artifact with the page; null: not known. */
  reportUrl?: string | null;
  /** Paths of stored baselines that the pull request changes. */
  changedBaselines?: readonly string[];
  history?: readonly HistoryRecord[];
  maxChars?: number;
}

export function renderComment(report: Report, context: CommentContext): string {
  const { identity, origin, trust, notes, history = [] } = context;
  const changed = changedLine(report, context);
  const { emoji, word } = verdictFacts(report.verdict);
  return fitReport(report, {
    title: [renderMarker(identity, origin), titleLine(identity, emoji, word)],
    context: [
      "",
      `${commitLine(origin)} ${termsLine(report, context)}`,
      ...(trust === "attested" ? ["", ATTESTED] : []),
      ...(changed === "" ? [] : ["", changed]),
    ],
    maxChars: context.maxChars ?? MAX_COMMENT_CHARS,
    whereElse: "The summary of the workflow run has more.",
    footer: footerLine({ ...context, reportUrl: reportPlace(context) }),
    content: {
      "what the base branch's configuration changed": section(
        "Judged by the base branch",
        list(notes, MAX_NOTES),
      ),
      "whose change it is": section("This pull request, or before it", ...blameBlocks(report)),
      "on the default branch": section(
        "The last runs of the default branch",
        ...sparklines(report, history),
      ),
      ...(trust === "attested" ? { "how it was measured": attestedFacts(report, context) } : {}),
      ...(isPageWanted(report, context) ? { "where more is": section("", paragraph(PAGE)) } : {}),
    },
  });
}

/** Nothing that anybody has to read: with the policy `on-change` such a result makes no comment. */
export function isPlainPass(
  { verdict }: Report,
  { notes, changedBaselines = [] }: Pick<CommentContext, "notes" | "changedBaselines">,
): boolean {
  return (
    changedBaselines.length === 0 &&
    isPlain(verdict) &&
    splitWarnings(verdict).warnings.length === 0 &&
    verdict.waivers.length === 0 &&
    notes.length === 0
  );
}

/** A job that comments on its own uploads the page later: where the run will have it. */
function reportPlace({ trust, runUrl, reportUrl = null }: CommentContext): string | null {
  return reportUrl ?? (trust === "own" ? `${runUrl}#artifacts` : null);
}

/** Advice mentions curves, which no comment can show. */
function isPageWanted({ verdict }: Report, { reportUrl = null }: CommentContext): boolean {
  return reportUrl === null && verdict.state !== "pass";
}

/** Also of a notice: a push may have come since. */
export function commitLine({ headSha }: CommentOrigin): string {
  return `Result for commit ${markdownCode(shortCommit(headSha))}. Later commits have no result until this comment names them.`;
}

/** Of another base branch the same numbers may have another verdict. */
export function termsLine(
  { sources: { reference } }: Report,
  { trust, base }: CommentContext,
): string {
  const against =
    reference === null ? "stored values" : markdownCode(shortCommit(reference.commit));
  const [ref, commit] = [markdownCode(base.ref), markdownCode(shortCommit(base.commit))];
  const rules =
    trust === "attested" ? `the rules of ${ref} at ${commit}` : "the pull request's own rules";
  return `Held against ${against}, for ${ref}, by ${rules}.`;
}

/** Changed baselines change the limits of every later run. */
function changedLine({ run }: Report, { trust, changedBaselines = [] }: CommentContext): string {
  if (changedBaselines.length === 0) return "";
  const paths = changedBaselines.slice(0, MAX_PATHS).map((path) => markdownCode(path));
  const more = changedBaselines.length - paths.length;
  const all = `${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const rests =
    run.compare === "base"
      ? "This verdict does not rest on them."
      : trust === "attested"
        ? "This verdict rests on those of the base branch."
        : "This verdict rests on the changed ones.";
  return `> **Its stored baselines are not those of the base branch**: ${all}. ${rests} Merged, they are what every later change is held against.`;
}

/** Also of a notice: names the gate where it is not the default one. */
export function titleLine({ key }: CommentIdentity, emoji: string, word: string): string {
  return `### ${emoji} Tailgate${key === "default" ? "" : ` (${markdownCode(key)})`}: ${word}`;
}

function attestedFacts(report: Report, { manifest, origin }: CommentContext) {
  const handed =
    manifest === null
      ? ""
      : `by ${manifest.tool}, which names run ${manifest.run.id}, attempt ${manifest.run.attempt}; GitHub names run ${origin.runId}, attempt ${origin.attempt}`;
  return details(
    "How it was measured, by the job's own account",
    facts({ ...measurementFacts(report), "handed over": handed }),
    list(texts(splitWarnings(report.verdict).notes), MAX_NOTES),
  );
}

/** Of a notice as well: where more is to be found, and what the comment is of. */
export function footerLine({
  origin,
  runUrl,
  samplesUrl,
  reportUrl = null,
}: Pick<CommentContext, "origin" | "runUrl" | "samplesUrl" | "reportUrl">): string {
  const links = linkLine([
    { label: "Workflow run", url: runUrl },
    ...(reportUrl === null ? [] : [{ label: "Report with curves", url: reportUrl }]),
    ...(samplesUrl === null ? [] : [{ label: "Samples", url: samplesUrl }]),
  ]);
  const attempt = origin.attempt === 1 ? "" : `, attempt ${origin.attempt}`;
  const made = `commit ${markdownCode(shortCommit(origin.headSha))}, run ${origin.runId}${attempt}`;
  return [links, made].filter((part) => part !== "").join(" · ");
}
