// The last runs of the default branch in one line, for a comment: where each gated metric comes from.
import { chainSeries } from "../../history/chain.ts";
import { type HistoryRecord, seriesId } from "../../model/history.ts";
import type { Report } from "../../model/report.ts";
import type { Comparison } from "../../model/verdict.ts";
import { type Block, type Item, list, note } from "../kit/blocks.ts";
import { fullName } from "../words/names.ts";

const BARS = "▁▂▃▄▅▆▇█";
const MAX_RUNS = 20;
/** A line of fewer says nothing. */
const LEAST_RUNS = 3;
const MAX_SERIES = 12;
const READING =
  "Each against its anchor, the newest at the right. A full bar is at least the margin above the lowest.";

/** Empty where no gated metric has a history on this class of machines. */
export function sparklines(
  { config, verdict }: Pick<Report, "config" | "verdict">,
  history: readonly HistoryRecord[],
): Block[] {
  const own = history.filter(({ runnerClass }) => runnerClass === config.runner.class);
  const gated = verdict.comparisons.filter(({ level }) => level === "gate");
  const items = gated.flatMap((one) => itemOf(one, own));
  return [list(items, MAX_SERIES), note(READING)];
}

function itemOf(comparison: Comparison, records: readonly HistoryRecord[]): Item[] {
  const { service, scenario, margin } = comparison;
  const points = chainSeries(records, seriesId({ service, scenario, policy: comparison }));
  const last = points.at(-1)?.chain;
  const values = points
    .filter(({ record, chain }) => chain === last && record.run.shard !== "splice")
    .flatMap(({ ratio }) => (ratio === null ? [] : [ratio.estimate]))
    .slice(-MAX_RUNS);
  if (values.length < LEAST_RUNS) return [];
  return [{ text: [{ code: bars(values, Math.log1p(margin)) }, ` ${fullName(comparison)}`] }];
}

/** The lowest value is the lowest bar; from there to the highest bar is at least `span`. */
export function bars(values: readonly number[], span: number): string {
  const low = Math.min(...values);
  const height = Math.max(span, Math.max(...values) - low) || 1;
  return values
    .map((value) => BARS[Math.round(((value - low) / height) * (BARS.length - 1))])
    .join("");
}
