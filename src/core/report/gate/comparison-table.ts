// Comparisons as a table, and its legend, for every medium.
import { METRIC_FACTS } from "../../model/metric.ts";
import type { Comparison, ComparisonState } from "../../model/verdict.ts";
import {
  formatAmount,
  formatChange,
  formatDetectable,
  formatEstimate,
  formatFraction,
  formatInterval,
  formatLimits,
  formatPair,
  formatValue,
  NOTHING,
} from "../../text/format.ts";
import type { Block, Cell, ColumnOf, Mark, Strip } from "../kit/blocks.ts";
import { groupedTable, moreRows, note, tableAbout } from "../kit/blocks.ts";
import { fullName, metricName, subjectName } from "../words/names.ts";
import { bySeverity, STATE_FACTS, worstOf } from "../words/states.ts";

/** Only what decides is said in capitals; in a mixed table what is only watched is marked. */
type Role = "deciding" | "context" | "mixed";

/** All that a table may show of a comparison. Rows are made here and nowhere else. */
function columnsOf(comparisons: readonly Comparison[], role: Role) {
  // Exact intervals have the level that ranks allow; the heading names the least of them.
  const level = Math.min(1, ...comparisons.flatMap(({ interval }) => interval?.level ?? []));
  const title = level < 1 ? `${Math.floor(level * 100)} % interval` : "interval";
  return {
    state: { title: "", kind: "text", cell: (one) => ({ mark: markOf(one, role) }) },
    metric: { title: "metric", kind: "text", cell: metricName },
    values: { title: "ref → cand", kind: "number", cell: valuesOf },
    change: { title: "change", kind: "number", cell: changeCell },
    interval: { title, kind: "number", dropRank: 1, joined: true, cell: intervalCell },
    limits: { title: "limits", kind: "number", dropRank: 2, cell: limitsOf },
    detectable: { title: "MDE", kind: "number", dropRank: 3, cell: detectableOf },
    rounds: { title: "n", kind: "number", dropRank: 4, cell: ({ rounds }) => String(rounds) },
  } satisfies Record<string, ColumnOf<Comparison>>;
}

/** `beside`: where the values over all requests are that a typical one has no row of here. */
export function comparisonTable(
  comparisons: readonly Comparison[],
  {
    role = "context",
    maxRows = 400,
    beside = [],
  }: { role?: Role; maxRows?: number; beside?: readonly Comparison[] } = {},
): Block[] {
  const inOrder = groupBySubject(comparisons).flatMap(({ things }) => things);
  const shown = inOrder.slice(0, maxRows);
  const { limits, detectable, rounds, ...first } = columnsOf(comparisons, role);
  const pooled = pooledColumn(shown, beside);
  const columns = [...Object.values(first), ...pooled, limits, detectable, rounds];
  return [
    groupedTable(groupBySubject(shown), columns),
    moreRows(comparisons.length - shown.length),
  ];
}

/** What users call p99; none where every row has it, or none has. */
function pooledColumn(
  rows: readonly Comparison[],
  beside: readonly Comparison[],
): ColumnOf<Comparison>[] {
  const questionOf = ({ service, scenario, metric, against }: Comparison): string =>
    JSON.stringify([service, scenario, metric, against]);
  const pooled = new Map(
    beside.flatMap((one) => (one.estimator === "pooled" ? [[questionOf(one), one] as const] : [])),
  );
  const cell = (one: Comparison): string => {
    const found = one.estimator === "typical" ? pooled.get(questionOf(one)) : undefined;
    if (found === undefined || rows.includes(found)) return "";
    // Without a change beside it, which the digits would have to agree with.
    return formatPair(METRIC_FACTS[one.metric].unit, found.reference, found.candidate, () => "");
  };
  const isEmpty = rows.every((one) => cell(one) === "");
  return isEmpty ? [] : [{ title: "all requests", kind: "number", dropRank: 5, cell }];
}

/** A line for each, most important first, without what only explains the limits. */
export function shortTable(
  comparisons: readonly Comparison[],
  maxRows: number,
  role: Role = "context",
): Block[] {
  const { state, metric, values, change, interval, limits } = columnsOf(comparisons, role);
  const shown = comparisons.toSorted(bySeverity).slice(0, maxRows);
  const name = { ...metric, cell: fullName };
  return [
    tableAbout(shown, [state, name, values, change, interval, limits]),
    moreRows(comparisons.length - shown.length),
  ];
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

function valuesOf({ metric, level, reference, candidate, against }: Comparison): string {
  const { unit } = METRIC_FACTS[metric];
  if (against === "limit")
    return `${formatAmount(unit, reference)} → ${formatPair(unit, reference, candidate, formatChange, "candidate")}`;
  return level === "info" && reference === null
    ? formatValue(unit, candidate)
    : formatPair(unit, reference, candidate);
}

/** What is new is held to no change, and a limit stands with the values. */
function hasLimits({ state, against, answers }: Comparison): boolean {
  return answers === undefined && state !== "new" && against !== "limit";
}

function limitsOf(comparison: Comparison): string {
  if (comparison.answers !== undefined) return formatFraction(comparison.margin);
  return hasLimits(comparison) ? formatLimits(comparison) : NOTHING;
}

function intervalCell(comparison: Comparison): Cell {
  const text = formatInterval(comparison);
  return comparison.interval === null ? text : { text, graphic: stripOf(comparison) };
}

/** Two margins to either side: enough to see on which side of the margin an interval ends. */
function stripOf(comparison: Comparison): Strip {
  const { estimate, interval, margin, floor, state } = comparison;
  return {
    estimate,
    interval,
    colour: state,
    says: `${formatEstimate(comparison)} ${formatInterval(comparison)}`,
    // A limit has none.
    reach: Math.log1p(2 * (margin || 0.1)),
    limits: { floor: Math.log1p(floor), margin: Math.log1p(margin) },
  };
}

/** Rounds that are too few for any answer detect nothing. */
function detectableOf({ finding, detectable }: Comparison): string {
  const isTooShort = "more" in finding && finding.more !== undefined;
  return isTooShort ? NOTHING : formatDetectable(detectable);
}

function markOf({ state, level, finding, against }: Comparison, role: Role): Mark {
  const { symbol, emoji, word: usual } = STATE_FACTS[state];
  const proven = against === "limit" && state === "regressed" ? "OVER LIMIT" : usual;
  const word = finding.code === "likely-worse" ? "LIKELY WORSE" : proven;
  const shown = role === "deciding" ? word : word.toLowerCase();
  const watched = role === "mixed" && level !== "gate" ? " (watched)" : "";
  return { symbol, emoji, like: state, word: shown + watched };
}

const CHANGED: ReadonlySet<ComparisonState> = new Set([
  "regressed",
  "improved",
  "waived",
  "worse-within",
]);

/** In bold where the state says that there is a change. */
export function changeCell(comparison: Pick<Comparison, "estimate" | "clipped" | "state">): Cell {
  const { estimate, state } = comparison;
  const stands = estimate !== null && CHANGED.has(state);
  return { text: formatEstimate(comparison), emphasis: stands ? "strong" : undefined };
}

export function legend(comparisons: readonly Comparison[]): Block {
  if (comparisons.length === 0) return note("");
  const estimators = new Set(comparisons.map(({ estimator }) => estimator));
  const parts = [
    ...(Object.keys(STATE_FACTS) as ComparisonState[])
      .filter((state) => comparisons.some((one) => one.state === state))
      .map((state) => `${STATE_FACTS[state].word.toLowerCase()}: ${STATE_FACTS[state].meaning}.`),
    comparisons.some(({ finding }) => finding.code === "likely-worse")
      ? "likely worse: not proven yet."
      : "",
    estimators.has("typical")
      ? "typical: over the quieter half of the time windows, which is what is gated; pooled: over all requests of a round."
      : "",
    estimators.has("windows")
      ? "slowest answer: of each time window, their geometric mean; a round counts as at most two or three margins, ≥ where one did."
      : "",
    estimators.has("counts")
      ? "wrong answers: of all tries; fails when proven to be a larger share than the reference's, and more than the error budget beside it."
      : "",
    comparisons.some(({ among }) => among !== undefined)
      ? "of any scenario: of those with most load, the mean of their changes, each weighted by its size."
      : "",
    "ref → cand: the median reference, and by the change the candidate.",
    comparisons.some(({ against }) => against === "limit")
      ? "limit: the metric's max, in the reference's place; fails when the candidate is proven above it, passes when shown to be below."
      : "",
  ];
  const { interval } = columnsOf(comparisons, "context");
  return note(parts.filter((part) => part !== "").join(" "), {
    [interval.title]: comparisons.some(({ against }) => against !== "stored")
      ? "interval: valid after every round, so wider than one of a fixed number of rounds."
      : "",
    ...limitsLegend(comparisons),
    MDE: "MDE: smallest true change this run detects with 95 % power.",
    n: "n: rounds.",
  });
}

/** All that is explained to those who know the table, by the title of its column. */
export function limitsLegend(comparisons: readonly Comparison[]): Record<string, string> {
  const says =
    "limits a/b: fails when proven worse and estimated at a or more, passes when shown below b.";
  return { limits: comparisons.some(hasLimits) ? says : "" };
}

/** By scenario or service, the group with the worst comparison first. */
function groupBySubject(comparisons: readonly Comparison[]) {
  return [...Map.groupBy(comparisons, subjectName)]
    .map(([name, things]) => ({ name, things }))
    .sort((a, b) => {
      const [worstA, worstB] = [worstOf(a.things), worstOf(b.things)];
      return worstA === undefined || worstB === undefined ? 0 : bySeverity(worstA, worstB);
    });
}
