// The comment of a run without a verdict. It never looks like a pass.
import { markdownBlock, markdownText, plainLines } from "../../text/escape.ts";
import { type CommentContext, commitLine, footerLine, titleLine } from "./comment.ts";
import { renderMarker } from "./marker.ts";

export interface Notice {
  kind: NoticeKind;
  /** What happened, in one line. Foreign text. */
  text: string;
  /** What somebody or something printed about it; empty: nothing. Foreign text. */
  detail: string;
}

/**
 * `cancelled`: by somebody, a newer push or the job's `timeout-minutes`, of which GitHub says no
 * more. `timed-out`: by GitHub. `failed`: ended without a result. `missing`: ended well without one.
 * `expired`, `refused`: its result cannot be used.
 */
export const NOTICE_FACTS = {
  cancelled: {
    word: "CANCELLED",
    emoji: "⏹️",
    meaning: "the run was cancelled, by somebody or by timeout-minutes, before it had a result",
    next: "Run it again unless a newer run has taken its place. If timeout-minutes ended it, measure less, or raise it above the time budget.",
  },
  "timed-out": {
    word: "TIMED OUT",
    emoji: "⏰",
    meaning: "the run was stopped by its time limit before it had a result",
    next: "Look where the time went in the log of the run; measure less, or raise timeout-minutes above the time budget.",
  },
  failed: {
    word: "DID NOT FINISH",
    emoji: "💥",
    meaning: "the run ended before it had a result",
    next: "The log of the run says why: a build, a service or a tool failed before anything was measured.",
  },
  missing: {
    word: "NO RESULT",
    emoji: "🚫",
    meaning: "the run ended without handing over a result",
    next: "Look whether the step that uploads the result ran, and under which name.",
  },
  expired: {
    word: "RESULT EXPIRED",
    emoji: "⌛",
    meaning: "what the run handed over is kept no longer",
    next: "Run the gate again. The retention-days of the step that uploads its result say how long it is kept.",
  },
  refused: {
    word: "RESULT REFUSED",
    emoji: "⛔",
    meaning: "what the run handed over cannot be used",
    next: "Run it again with the version of Tailgate that the base branch uses, and with its workflow unchanged.",
  },
} satisfies Record<string, Record<"word" | "emoji" | "meaning" | "next", string>>;
export type NoticeKind = keyof typeof NOTICE_FACTS;

export function renderNotice(
  notice: Notice,
  context: Pick<CommentContext, "identity" | "origin" | "runUrl" | "samplesUrl" | "reportUrl">,
): string {
  const { emoji, word, meaning, next } = NOTICE_FACTS[notice.kind];
  const detail = plainLines(notice.detail);
  return `${[
    renderMarker(context.identity, context.origin),
    titleLine(context.identity, emoji, word),
    "",
    commitLine(context.origin),
    "",
    `**${markdownText(notice.text) || meaning}**`,
    "",
    `No verdict: ${meaning}. This is not a pass, nothing was shown about this commit.`,
    "",
    ...(detail.length === 0 ? [] : [...markdownBlock(detail), ""]),
    "**What to do next**",
    "",
    `- ${markdownText(next)}`,
    "",
    footerLine(context),
  ].join("\n")}\n`;
}
