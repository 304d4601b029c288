// What only a page has room for in a table of a gate's comparisons.
import { METRIC_FACTS } from "../../src/core/model/metric.ts";
import type { Comparison } from "../../src/core/model/verdict.ts";
import { type Block, type ColumnOf, note } from "../../src/core/report/kit/blocks.ts";
import { formatDetectable, formatPair, NOTHING } from "../../src/core/text/format.ts";

export const COLUMNS_LEGEND: Block = note(
  "MDE: smallest true change this run detects with 95 % power. n: rounds.",
);

/** `comparisons`: among which the values over all requests are that a row has none of. */
export function columnsOfPage(comparisons: readonly Comparison[]): ColumnOf<Comparison>[] {
  return [
    ...pooledColumn(comparisons),
    { title: "MDE", kind: "number", cell: detectableOf },
    { title: "n", kind: "number", cell: ({ rounds }) => String(rounds) },
  ];
}

/** What users call p99; none where nothing is gated of it, or where it is gated itself. */
function pooledColumn(comparisons: readonly Comparison[]): ColumnOf<Comparison>[] {
  const questionOf = ({ service, scenario, metric, against }: Comparison): string =>
    JSON.stringify([service, scenario, metric, against]);
  const beside = comparisons.filter(
    ({ estimator, level }) => estimator === "pooled" && level !== "gate",
  );
  const pooled = new Map(beside.map((one) => [questionOf(one), one]));
  const cell = (one: Comparison): string => {
    const found = one.estimator === "typical" ? pooled.get(questionOf(one)) : undefined;
    if (found === undefined) return "";
    const { metric, reference, candidate, state } = found;
    const shows = state === "new" ? "candidate" : "both";
    // Without a change beside it, which the digits would have to agree with.
    return formatPair(METRIC_FACTS[metric].unit, reference, candidate, () => "", shows);
  };
  const isEmpty = comparisons.every((one) => one.level !== "gate" || cell(one) === "");
  return isEmpty ? [] : [{ title: "all requests", kind: "number", cell }];
}

/** Rounds that are too few for any answer detect nothing. */
function detectableOf({ finding, detectable }: Comparison): string {
  const isTooShort = "more" in finding && finding.more !== undefined;
  return isTooShort ? NOTHING : formatDetectable(detectable);
}
