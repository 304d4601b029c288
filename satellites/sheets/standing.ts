// Changes for the worse that stand, in words: how large, since when, and by which commits.
import type { StandingChange } from "../../src/core/model/history.ts";
import { linkLine } from "../../src/core/report/kit/markdown.ts";
import { shortCommit } from "../../src/core/report/provenance.ts";
import { markdownCode, markdownInline, markdownText } from "../../src/core/text/escape.ts";
import { formatChange } from "../../src/core/text/format.ts";
import { dayOf, intervalOf, nameOfSeries, rangeOf } from "../words/series.ts";

const MAX_SHOWN = 20;

/** One line: `api RSS after load +5.2 % since 2026-10-21`. */
export function standingHeadline(change: StandingChange): string {
  const { series, began, ended, left } = change;
  const when = began === ended ? "since" : "little by little since";
  return `${nameOfSeries(series)} ${formatChange(left.estimate)} ${when} ${dayOf(began.run.startedAt)}`;
}

/** `repositoryUrl`: its page, below which commits are compared. */
export function renderStanding(changes: readonly StandingChange[], repositoryUrl: string): string {
  const more = changes.length - MAX_SHOWN;
  return [
    "**Changes that stand**",
    "",
    ...changes.slice(0, MAX_SHOWN).map((change) => `- ${itemOf(change, repositoryUrl)}`),
    ...(more > 0 ? [`- and ${more} more, in the history`] : []),
    "",
    "<sub>A change is over when the level is back, which is seen after some nights, or when a baseline that has it in it is merged. Intervals and ranges have 95 % confidence.</sub>",
  ].join("\n");
}

function itemOf(change: StandingChange, repositoryUrl: string): string {
  const { series, began, ended, left, size, machineChanged } = change;
  const [from, to] = [began, ended].map(({ run }) => dayOf(run.startedAt));
  const when = began === ended ? `since ${from}` : `little by little from ${from} to ${to}`;
  return [
    `${markdownText(nameOfSeries(series))}: **${formatChange(size.estimate)}** ${intervalOf(size)} ${when}.`,
    ...(left.estimate < size.estimate
      ? [`${formatChange(left.estimate)} ${intervalOf(left)} of it is left.`]
      : []),
    causeOf(change, repositoryUrl),
    ...(machineChanged ? ["The machine changed with it, which may be why."] : []),
  ].join(" ");
}

/** The commit where it most likely began, and those that it may have begun with. */
function causeOf(change: StandingChange, repositoryUrl: string): string {
  const { after, by, first, began, commits } = change;
  if (after === by) {
    return `${markdownCode(shortCommit(after))} was measured before and after: look at the machine, and at what the service depends on.`;
  }
  const { subject } = began.commit;
  const title = subject === "" ? "" : ` ${markdownInline(subject, 100)}`;
  const commit = `${markdownCode(shortCommit(first))}${title}`;
  if (by === first && commits === 1) return `It came with ${commit}.`;
  const url = `${repositoryUrl}/compare/${after}...${by}`;
  const link = linkLine([{ label: rangeOf(change), url }]);
  const count = commits === 1 ? "one commit" : `one of ${commits} commits`;
  const of = commits === null ? "" : `, ${count} of the branch`;
  return `It began in ${link}${of}, and was first seen at ${commit}.`;
}
