// Comparisons as a table, and its legend, for every medium.
import { METRIC_FACTS } from "../../model/metric.ts";
import type { Comparison, ComparisonState } from "../../model/verdict.ts";
import {
  formatDetectable,
  formatEstimate,
  formatInterval,
  formatLimits,
  formatPair,
  formatValue,
  NOTHING,
} from "../../text/format.ts";
import { type Block, type Cell, type Column, type Mark, moreRows, note } from "../kit/blocks.ts";
import { fullName, metricName, subjectName } from "../words/names.ts";
import { bySeverity, STATE_FACTS, worstOf } from "../words/states.ts";
import { comparisonStrip } from "./html/interval-strip.ts";

interface TableOptions {
  maxRows?: number;
  /** Only what decides is said in capitals; in a mixed table what is only watched is marked. */
  role?: "deciding" | "context" | "mixed";
  /** `short`: a line for each, most important first, without what only explains the limits. */
  layout?: "grouped" | "short";
}

export function comparisonTable(
  comparisons: readonly Comparison[],
  { maxRows = 400, role = "context", layout = "grouped" }: TableOptions = {},
): Block[] {
  // Exact intervals have the level that ranks allow; the heading names the least of them.
  const level = Math.min(1, ...comparisons.flatMap(({ interval }) => interval?.level ?? []));
  const columns: Column[] = [
    { title: "", kind: "text" },
    { title: "metric", kind: "text" },
    { title: "ref → cand", kind: "number" },
    { title: "change", kind: "number" },
    {
      title: level < 1 ? `${Math.floor(level * 100)} % interval` : "interval",
      kind: "number",
      dropRank: 1,
      joined: true,
    },
    { title: "limits", kind: "number", dropRank: 2 },
    { title: "MDE", kind: "number", dropRank: 3 },
    { title: "n", kind: "number", dropRank: 4 },
  ];
  if (layout === "short") {
    const rows = comparisons
      .toSorted(bySeverity)
      .slice(0, maxRows)
      .map((one) => comparisonRow(one, role).with(1, fullName(one)).slice(0, SHORT_COLUMNS));
    const table = { columns: columns.slice(0, SHORT_COLUMNS), groups: [{ name: null, rows }] };
    return [{ kind: "table", table }, moreRows(comparisons.length - rows.length)];
  }
  let room = maxRows;
  const groups = groupBySubject(comparisons).flatMap(({ name, comparisons: members }) => {
    const rows = members.slice(0, room).map((one) => comparisonRow(one, role));
    room -= rows.length;
    return rows.length === 0 ? [] : [{ name, rows }];
  });
  return [
    { kind: "table", table: { columns, groups } },
    moreRows(comparisons.length - (maxRows - room)),
  ];
}

/** Up to the limits. */
const SHORT_COLUMNS = 6;

function comparisonRow(comparison: Comparison, role: TableOptions["role"]): Cell[] {
  const { metric, reference, candidate, rounds, interval } = comparison;
  return [
    { mark: markOf(comparison, role) },
    metricName(comparison),
    formatPair(METRIC_FACTS[metric].unit, reference, candidate),
    changeCell(comparison),
    interval === null
      ? formatInterval(comparison)
      : { text: formatInterval(comparison), graphic: comparisonStrip(comparison) },
    formatLimits(comparison),
    // Rounds that are too few for any answer detect nothing.
    isTooShort(comparison) ? NOTHING : formatDetectable(comparison.detectable),
    String(rounds),
  ];
}

function isTooShort({ finding }: Comparison): boolean {
  return "more" in finding && finding.more !== undefined;
}

function markOf({ state, level }: Comparison, role: TableOptions["role"]): Mark {
  const { word, symbol, emoji } = STATE_FACTS[state];
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
export function changeCell(comparison: Pick<Comparison, "estimate" | "interval" | "state">): Cell {
  const { estimate, state } = comparison;
  const stands = estimate !== null && CHANGED.has(state);
  return { text: formatEstimate(comparison), emphasis: stands ? "strong" : undefined };
}

export function legend(comparisons: readonly Comparison[]): Block {
  const states = (Object.keys(STATE_FACTS) as ComparisonState[])
    .filter((state) => comparisons.some((one) => one.state === state))
    .map((state) => `${STATE_FACTS[state].word.toLowerCase()}: ${STATE_FACTS[state].meaning}.`);
  const has = (wanted: Comparison["estimator"]): boolean =>
    comparisons.some(({ estimator }) => estimator === wanted);
  const estimators = [
    ...(has("typical")
      ? [
          "typical: over the quieter half of the time windows; pooled: over all requests of a round.",
        ]
      : []),
    ...(has("windows")
      ? [
          "slowest answer: of each time window, their geometric mean; a round counts as at most three times b.",
        ]
      : []),
  ];
  const text = [
    ...states,
    ...estimators,
    "change: estimate; ~ where its interval contains 0.",
    ...(comparisons.some(({ against }) => against !== "stored")
      ? ["interval: valid after every round, so wider than one of a fixed number of rounds."]
      : []),
    "limits a/b: fails when a regression is proven and estimated at a or more, passes when shown to be below b.",
    "MDE: smallest true change this run detects with 95 % power.",
    "n: rounds.",
  ].join(" ");
  return note(states.length === 0 ? "" : text);
}

/** For those who know the table. */
export const SHORT_LEGEND = note(
  "~: interval contains 0. limits a/b: fails when proven and a or more, passes when shown below b.",
);

export function infoTable(comparisons: readonly Comparison[]): Block[] {
  const columns: Column[] = [
    { title: "metric", kind: "text" },
    { title: "ref → cand", kind: "number" },
    { title: "change", kind: "number" },
    { title: "interval", kind: "number", joined: true, dropRank: 1 },
  ];
  // A metric that vanished is named, not dropped.
  const isMissing = ({ candidate, reference }: Comparison): boolean =>
    candidate === null && reference === null;
  const groups = groupBySubject(comparisons.filter((one) => !isMissing(one))).map(
    ({ name, comparisons: members }) => ({
      name,
      rows: members.map((one) => {
        const { unit } = METRIC_FACTS[one.metric];
        return [
          metricName(one),
          one.reference === null
            ? formatValue(unit, one.candidate)
            : formatPair(unit, one.reference, one.candidate),
          formatEstimate(one),
          formatInterval(one),
        ];
      }),
    }),
  );
  return [
    { kind: "table", table: { columns, groups } },
    {
      kind: "facts",
      facts: groupBySubject(comparisons.filter(isMissing)).map(
        ({ name, comparisons: members }) => ({
          label: "not measured",
          text: `${name}: ${members.map(metricName).join(", ")}`,
        }),
      ),
    },
  ];
}

/** By scenario or service, the group with the worst comparison first. */
function groupBySubject(comparisons: readonly Comparison[]) {
  return [...Map.groupBy(comparisons, subjectName)]
    .map(([name, members]) => ({ name, comparisons: members }))
    .sort((a, b) => {
      const [worstA, worstB] = [worstOf(a.comparisons), worstOf(b.comparisons)];
      return worstA === undefined || worstB === undefined ? 0 : bySeverity(worstA, worstB);
    });
}
