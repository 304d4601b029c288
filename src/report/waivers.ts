// Waivers as they are shown: what became of each, what it accepts, why, and who answers for it until when. Reason and owner are
// foreign text; each medium makes them harmless.
import type { Verdict, WaiverOutcome, WaiverState } from "../model/verdict.ts";
import { markdownText } from "./foreign.ts";
import type { Prose } from "./markdown-sections.ts";

interface WaiverFacts {
  word: string;
  emoji: string;
}

export const WAIVER_FACTS: Readonly<Record<WaiverState, WaiverFacts>> = {
  exceeded: { word: "exceeded", emoji: "❌" },
  expired: { word: "expired", emoji: "⌛" },
  proposed: { word: "proposed", emoji: "✋" },
  used: { word: "used", emoji: "🟠" },
  undecided: { word: "undecided", emoji: "🟡" },
  unused: { word: "unused", emoji: "🧹" },
};

/** `because: the new index; owner: @team/perf; brought by this change`. */
export function whyWaived({ waiver, origin, state }: WaiverOutcome): string {
  const brought = origin === "change" && state !== "proposed" ? "; brought by this change" : "";
  return `because: ${waiver.reason}; owner: ${waiver.owner}${brought}`;
}

/** A list, two lines an entry; empty without waivers. `max` entries are shown. */
export function waiverLines(
  { waivers }: Pick<Verdict, "waivers">,
  max = 20,
  prose: Prose = markdownText,
): string[] {
  const lines = waivers.slice(0, max).flatMap((outcome) => {
    const { word, emoji } = WAIVER_FACTS[outcome.state];
    return [`- ${emoji} **${word}**: ${prose(outcome.text)}`, `  - ${prose(whyWaived(outcome))}`];
  });
  return waivers.length > max ? [...lines, `- and ${waivers.length - max} more`] : lines;
}
