// Whose change it is: against the base in the same minutes, and against the accepted baseline.
import { subjectOf } from "../../model/metric.ts";
import type { Report } from "../../model/report.ts";
import type { Comparison } from "../../model/verdict.ts";
import { formatInterval } from "../../text/format.ts";
import { changeCell } from "../gate/comparison-table.ts";
import { type Block, type ColumnOf, moreRows, tableAbout } from "../kit/blocks.ts";
import { metricName } from "../words/names.ts";

const MAX_ROWS = 20;

type Pair = Record<"alongside" | "stored", Comparison>;

/** Empty where nothing is worse, or where only one of the two was to be had. */
export function blameBlocks({ verdict }: Report): Block[] {
  const pairs = verdict.stored.flatMap((stored): Pair[] => {
    const alongside = verdict.comparisons.find((one) => isSameQuestion(one, stored));
    if (stored.estimate === null || alongside === undefined) return [];
    const worse = [stored.state, alongside.state].includes("regressed");
    return worse && alongside.level !== "info" ? [{ stored, alongside }] : [];
  });
  const changes = (title: string, of: "alongside" | "stored"): ColumnOf<Pair>[] => [
    { title, kind: "number", cell: (pair) => changeCell(pair[of]) },
    { title: "", kind: "number", joined: true, cell: (pair) => formatInterval(pair[of]) },
  ];
  return [
    tableAbout<Pair>(pairs.slice(0, MAX_ROWS), [
      { title: "scenario or service", kind: "name", cell: ({ stored }) => subjectOf(stored) },
      { title: "metric", kind: "text", cell: ({ stored }) => metricName(stored) },
      ...changes("this pull request", "alongside"),
      ...changes("since the accepted baseline", "stored"),
    ]),
    moreRows(
      pairs.length - MAX_ROWS,
      `The first is against the base, measured in the same minutes. The second is against values of another day: drift of the machine is in it, and it decides nothing.`,
    ),
  ];
}

function isSameQuestion(a: Comparison, b: Comparison): boolean {
  return (
    a.service === b.service &&
    a.scenario === b.scenario &&
    a.metric === b.metric &&
    a.estimator === b.estimator
  );
}
