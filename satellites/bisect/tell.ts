// A bisection in words: the commit, what speaks for it on both sides, and how to see it again.
import type { BisectKernel, BisectQuestion } from "../../src/core/model/bisect.ts";
import { metricLabel, subjectOf } from "../../src/core/model/metric.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import { formatChange, formatShare } from "../../src/core/text/format.ts";
import { sumOf } from "./belief.ts";
import { ALPHA, pairsOf, skippedOf } from "./next-step.ts";
import type { BisectRecord } from "./record.ts";

/** More suspects are only counted. */
const MOST_SHOWN = 8;
const LABEL_WIDTH = 8;

const called = (one: BisectQuestion): string => `${subjectOf(one)} ${metricLabel(one.policy)}`;
export const shortId = (commit: string): string => commit.slice(0, 10);

export function tell(record: BisectRecord, { estimate, questions }: BisectKernel): string {
  const { state, why, suspects, question, commits, seen } = record;
  const nameAt = (at: number): string => nameOf(commits.at(at));
  const open = state === "found" ? [] : suspects;
  const shown = open.slice(0, MOST_SHOWN);
  const more = open.length - shown.length;
  const asked = questions.filter(({ id }) => question === null || id === question);
  const builds = seen.filter(({ kind }) => kind === "built").length;
  const rounds = sumOf(seen.map((one) => (one.kind === "rounds" ? one.rounds : 0)));
  const proof = `${formatChange(record.step)} against the commit before; wrong in at most ${formatShare(ALPHA)} of bisections`;
  const rows: Record<string, readonly string[]> = {
    change: (question === null ? [] : asked).map(
      (one) => `${called(one)} ${formatChange(record.change)} from ${nameAt(0)} to ${nameAt(-1)}`,
    ),
    proof: record.again === null ? [] : [proof],
    suspects: [
      ...shown.map((one) => `${nameOf(one)}, ${formatShare(one.chance)}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
    measured: asked.flatMap((one) =>
      pairsOf(seen, one.id)
        .toSorted((a, b) => a.to - b.to || a.from - b.from)
        .map(({ from, to, d }) => {
          const [first, second] = [from, to].map((at) => shortId(commits[at]?.id ?? ""));
          const what = question === null ? ` ${called(one)}` : "";
          return `${second} against ${first}:${what} ${formatChange(estimate(d))} in ${d.length} rounds`;
        }),
    ),
    skipped: [...skippedOf(seen)].map(([at, cause]) => `${nameAt(at)}: ${plainLine(cause, 120)}`),
    spent: [`${builds} of ${commits.length} commits were built, ${rounds} rounds measured`],
    again: record.again === null ? [] : [record.again],
  };
  const lines = Object.entries(rows).flatMap(([label, texts]) =>
    texts.map((text, k) => `  ${(k === 0 ? label : "").padEnd(LABEL_WIDTH)}  ${text}`),
  );
  const headline: Record<BisectRecord["state"], string> = {
    running: "RUNNING",
    found: `FOUND: ${nameOf(suspects[0])}`,
    "one-of": `ONE OF THESE ${suspects.length}: those between cannot be measured`,
    undecided: `UNDECIDED: ${why}`,
    "no-change": `NO CHANGE: ${why}`,
    invalid: "INVALID: an end of the line cannot be measured",
  };
  return [headline[state], "", ...lines].join("\n");
}

const nameOf = (one: { id: string; subject: string } | undefined): string =>
  `${shortId(one?.id ?? "")} ${plainLine(one?.subject ?? "", 60)}`.trim();
