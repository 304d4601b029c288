// Comparisons as a table, and its legend, for every medium.
import { METRIC_FACTS, subjectOf } from "../../model/metric.ts";
import type { Comparison, ComparisonState } from "../../model/verdict.ts";
import {
  formatAmount,
  formatChange,
  formatEstimate,
  formatFraction,
  formatInterval,
  formatLimit,
  formatPair,
  NOTHING,
} from "../../text/format.ts";
import type { Block, Cell, ColumnOf, Mark, Strip } from "../kit/blocks.ts";
import { groupedTable, moreRows, note } from "../kit/blocks.ts";
import { fullName, metricName } from "../words/names.ts";
import { bySeverity, STATE_FACTS, worstOf } from "../words/states.ts";

/** Only what decides is said in capitals. */
type Role = "deciding" | "context";

/** All that a table may show of a comparison. Rows are made here and nowhere else. */
function columnsOf(comparisons: readonly Comparison[], role: Role = "context") {
  // Exact intervals have the level that ranks allow; the heading names the least of them.
  const level = Math.min(1, ...comparisons.flatMap(({ interval }) => interval?.level ?? []));
  const title = level < 1 ? `${Math.floor(level * 100)} % interval` : "interval";
  return {
    state: { title: "", kind: "text", cell: (one) => ({ mark: markOf(one, role) }) },
    metric: { title: "metric", kind: "text", cell: metricName },
    values: { title: "before → after", kind: "number", cell: valuesOf },
    change: { title: "change", kind: "number", cell: changeCell },
    interval: { title, kind: "number", dropRank: 1, joined: true, cell: intervalCell },
    limit: { title: "limit", kind: "number", cell: limitOf },
  } satisfies Record<string, ColumnOf<Comparison>>;
}

/** How metrics are named. Other tables than a page's have five columns, `folded` ones intervals too. */
const NAMES = { comment: markedName, folded: markedName, screen: fullName, page: metricName };

export function comparisonTable(
  layout: keyof typeof NAMES,
  comparisons: readonly Comparison[],
  { role = "context" as Role, maxRows = 400, own = [] as readonly ColumnOf<Comparison>[] } = {},
): Block[] {
  const { state, change, interval, metric, values, limit } = columnsOf(comparisons, role);
  const named = { ...metric, cell: NAMES[layout] };
  const bracketed = (one: Comparison) => (one.state === "new" ? "" : `(${limitOf(one)})`);
  const beside = { ...limit, joined: true, cell: bracketed };
  const columns = {
    comment: [state, { ...change, title: "change (limit)" }, beside, named, values],
    folded: [state, change, interval, named, values, limit],
    screen: [state, change, named, values, limit],
    page: [state, named, values, change, interval, limit, ...own],
  }[layout];
  const groupsOf = (all: readonly Comparison[]) =>
    layout === "screen" ? [{ name: null, things: all.toSorted(bySeverity) }] : groupBySubject(all);
  const inOrder = groupsOf(comparisons).flatMap(({ things }) => things);
  return [
    groupedTable(groupsOf(inOrder.slice(0, maxRows)), columns),
    moreRows(comparisons.length - maxRows),
  ];
}

/** With what a sign alone does not say. */
function markedName(comparison: Comparison): string {
  const { level, finding } = comparison;
  const likely = finding.code === "likely-worse" ? " (likely worse)" : "";
  return metricName(comparison) + (level === "warn" ? " (warns only)" : likely);
}

/** What is shown and not judged. */
export function infoTable(comparisons: readonly Comparison[]): Block[] {
  const { metric, values, change, interval } = columnsOf([], "context");
  const isMissing = ({ candidate, reference }: Comparison): boolean =>
    candidate === null && reference === null;
  // A metric that vanished is named, not dropped.
  const missing = groupBySubject(comparisons.filter(isMissing));
  return [
    groupedTable(groupBySubject(comparisons.filter((one) => !isMissing(one))), [
      metric,
      values,
      change,
      { ...interval, cell: formatInterval },
    ]),
    {
      kind: "facts",
      facts: missing.map(({ name, things }) => ({
        label: "not measured",
        text: `${name}: ${things.map(metricName).join(", ")}`,
      })),
    },
  ];
}

function valuesOf({ metric, level, state, reference, candidate, against }: Comparison): string {
  const { unit } = METRIC_FACTS[metric];
  const isAlone =
    against === "limit" || state === "new" || (level === "info" && reference === null);
  return formatPair(unit, reference, candidate, formatChange, isAlone ? "candidate" : "both");
}

/** What is new is held to no change. */
export function hasLimit({ state, against, answers }: Comparison): boolean {
  return answers === undefined && state !== "new" && against !== "limit";
}

function limitOf(comparison: Comparison): string {
  const { answers, against, margin, metric, reference } = comparison;
  if (answers !== undefined) return formatFraction(margin);
  if (against === "limit") return formatAmount(METRIC_FACTS[metric].unit, reference);
  return hasLimit(comparison) ? formatLimit(comparison) : NOTHING;
}

function intervalCell(comparison: Comparison): Cell {
  const text = formatInterval(comparison);
  if (comparison.interval === null || comparison.state === "new") return text;
  return { text, graphic: stripOf(comparison) };
}

/** Its ticks are at the margin: enough to see on which side of that an interval ends. */
function stripOf(comparison: Comparison): Strip {
  const { estimate, interval, margin, floor, state } = comparison;
  return {
    estimate,
    interval,
    colour: state,
    says: `${formatEstimate(comparison)} ${formatInterval(comparison)}`,
    // A limit has none.
    tick: Math.log1p(margin || 0.1),
    limits: { floor: Math.log1p(floor), margin: Math.log1p(margin) },
  };
}

function markOf({ state, finding, against }: Comparison, role: Role): Mark {
  const { symbol, emoji, word: usual } = STATE_FACTS[state];
  const proven = against === "limit" && state === "regressed" ? "OVER LIMIT" : usual;
  const word = finding.code === "likely-worse" ? "LIKELY WORSE" : proven;
  return { symbol, emoji, like: state, word: role === "deciding" ? word : word.toLowerCase() };
}

const CHANGED: ReadonlySet<ComparisonState> = new Set([
  "regressed",
  "improved",
  "waived",
  "worse-within",
]);

/** In bold where the state says that there is a change. */
export function changeCell(comparison: Pick<Comparison, "estimate" | "clipped" | "state">): Cell {
  const stands = comparison.estimate !== null && CHANGED.has(comparison.state);
  return { text: formatEstimate(comparison), emphasis: stands ? "strong" : undefined };
}

/** All that is explained to those who know the table. */
export const LIMIT =
  "limit: what is proven worse fails from it on, what passes is shown to be below it.";

/** What is explained where it holds of a row. */
const LEGEND: Readonly<Record<string, (one: Comparison) => boolean>> = {
  "likely worse: not proven yet.": ({ finding }) => finding.code === "likely-worse",
  "p99: over the quieter half of the time windows, which is what is gated; of all requests: over all of a round.":
    ({ estimator }) => estimator === "typical",
  "slowest answer: of each time window, their geometric mean; a round counts as two to three margins at most, ≥ where one did.":
    ({ estimator }) => estimator === "windows",
  "wrong answers: of all tries; fails when proven to be a larger share than the reference's, and more than the error budget beside it.":
    ({ estimator }) => estimator === "counts",
  "of any scenario: of those with most load, the mean of their changes, each weighted by its size.":
    ({ among }) => among !== undefined,
  "before → after: median reference of the row's rounds; the candidate by the change.": () => true,
  "The change of what has a max is from that, its limit.": ({ against }) => against === "limit",
  "[low, high]: where the change lies; valid after every round, so wider than one of a fixed number of rounds.":
    ({ against }) => against !== "stored",
  [LIMIT]: hasLimit,
};

/** `sign`: by which the table above marks states. */
export function legend(comparisons: readonly Comparison[], sign: "symbol" | "emoji"): Block {
  const states = Object.entries(STATE_FACTS).filter(([state]) =>
    comparisons.some((one) => one.state === state),
  );
  const rest = Object.entries(LEGEND).filter(([, holds]) => comparisons.some(holds));
  return note(
    [
      ...states.map(([, facts]) => `${facts[sign]} ${facts.word.toLowerCase()}: ${facts.meaning}.`),
      ...rest.map(([says]) => says),
    ].join(" "),
  );
}

/** By scenario or service, the group with the worst comparison first. */
function groupBySubject(comparisons: readonly Comparison[]) {
  return [...Map.groupBy(comparisons, subjectOf)]
    .map(([name, things]) => ({ name, things }))
    .sort((a, b) => {
      const [worstA, worstB] = [worstOf(a.things), worstOf(b.things)];
      return worstA === undefined || worstB === undefined ? 0 : bySeverity(worstA, worstB);
    });
}
