// One series over time although its anchor moved: each point as a ratio to the chain's first anchor.
// Where an anchor moved, something was measured against the old one and the new one; the ratio of the
// two anchors follows from that, with its interval, and is carried on.
import type { HistoryPoint, HistoryRecord } from "../model/history.ts";
import { partsOfSeries } from "../model/history.ts";
import { subjectOf } from "../model/metric.ts";
import { inOrder } from "./layout.ts";

/** A log ratio with its interval; null bounds are infinite. */
export type ChainedRatio = NonNullable<HistoryPoint["ratio"]>;

export interface ChainPoint {
  record: HistoryRecord;
  /** As it was measured, against the record's own anchor. */
  point: HistoryPoint;
  /** The commit that it was measured against; null: none. */
  anchor: string | null;
  /**
   * Which chain it is of, from 0. Another begins where nothing joins: the workload is another one, or
   * no run measured the old anchor against the new.
   */
  chain: number;
  /** To the first anchor of its chain; null: the run has no ratio. */
  ratio: ChainedRatio | null;
}

const SAME: ChainedRatio = { estimate: 0, low: 0, high: 0 };

/**
 * The points of one series, in the order of the history. Half-widths of intervals are added as
 * standard deviations are, by their squares: errors of different runs are independent.
 */
export function chainSeries(records: readonly HistoryRecord[], series: string): ChainPoint[] {
  const parts = partsOfSeries(series);
  if (parts === null) return [];
  const subject = subjectOf(parts);
  const own = inOrder(records).filter((record) => record.series[series] !== undefined);
  const anchorOf = (record: HistoryRecord) => record.anchors[parts.service]?.commit ?? null;
  const measured = (record: HistoryRecord): Measured[] => {
    const anchor = anchorOf(record);
    const ratio = record.series[series]?.ratio ?? null;
    return anchor === null || ratio === null ? [] : [{ commit: record.commit.sha, anchor, ratio }];
  };
  let chain = -1;
  let workload: string | undefined;
  /** Of anchors, to the chain's first one. */
  let offsets = new Map<string, ChainedRatio>();
  let ofWorkload: Measured[] = [];
  return own.flatMap((record): ChainPoint[] => {
    const point = record.series[series];
    if (point === undefined) return [];
    const anchor = anchorOf(record);
    const hash = `${record.runnerClass} ${record.workloads[subject]}`;
    if (chain === -1 || hash !== workload) {
      workload = hash;
      ofWorkload = own
        .filter((one) => `${one.runnerClass} ${one.workloads[subject]}` === hash)
        .flatMap(measured);
      offsets = new Map();
      chain++;
    }
    if (anchor === null || point.ratio === null)
      return [{ record, point, anchor, chain, ratio: null }];
    if (!offsets.has(anchor)) {
      const joined = spliceTo(anchor, offsets, ofWorkload);
      if (joined === null && offsets.size > 0) {
        offsets = new Map();
        chain++;
      }
      offsets.set(anchor, joined ?? SAME);
    }
    const ratio = plus(point.ratio, offsets.get(anchor) ?? SAME);
    return [{ record, point, anchor, chain, ratio }];
  });
}

interface Measured {
  commit: string;
  anchor: string;
  ratio: ChainedRatio;
}

/** The closest of all ways from a known anchor to this one; null: there is none. */
function spliceTo(
  to: string,
  known: ReadonlyMap<string, ChainedRatio>,
  measured: readonly Measured[],
): ChainedRatio | null {
  const ways = measured.flatMap(({ commit, anchor, ratio }) => {
    const offset = known.get(anchor);
    if (offset === undefined) return [];
    const ofCommit = plus(ratio, offset);
    if (commit === to) return [ofCommit];
    return measured
      .filter((other) => other.commit === commit && other.anchor === to)
      .map((other) => plus(ofCommit, inverse(other.ratio)));
  });
  return ways.sort((a, b) => widthOf(a) - widthOf(b))[0] ?? null;
}

function plus(a: ChainedRatio, b: ChainedRatio): ChainedRatio {
  const estimate = a.estimate + b.estimate;
  const below = Math.hypot(halfOf(a, "low"), halfOf(b, "low"));
  const above = Math.hypot(halfOf(a, "high"), halfOf(b, "high"));
  const low = Number.isFinite(below) ? estimate - below : null;
  return { estimate, low, high: Number.isFinite(above) ? estimate + above : null };
}

function inverse({ estimate, low, high }: ChainedRatio): ChainedRatio {
  const minus = (bound: number | null): number | null => (bound === null ? null : -bound);
  return { estimate: -estimate, low: minus(high), high: minus(low) };
}

function halfOf(ratio: ChainedRatio, side: "low" | "high"): number {
  const bound = ratio[side];
  return bound === null ? Number.POSITIVE_INFINITY : Math.abs(bound - ratio.estimate);
}

function widthOf(ratio: ChainedRatio): number {
  return halfOf(ratio, "low") + halfOf(ratio, "high");
}

/**
 * The commits that a run must be measured against once more, so that its anchors join those before:
 * by commit, the services that need it.
 */
export function missingSplices(
  records: readonly HistoryRecord[],
  latest: HistoryRecord,
): Map<string, string[]> {
  const wanted = new Map<string, string[]>();
  for (const [service, { commit: now }] of Object.entries(latest.anchors)) {
    // A record of another class or load starts a new chain, and no splice would join what is before it.
    const alike = inOrder(records).filter(
      (record) =>
        record.runnerClass === latest.runnerClass &&
        record.workloads[service] === latest.workloads[service] &&
        record.anchors[service] !== undefined,
    );
    const before = alike.at(-1)?.anchors[service]?.commit;
    if (before === undefined || before === now) continue;
    const series = Object.keys(latest.series).filter((id) => id.startsWith(`${service}/`));
    const isJoined = series.every((id) => {
      const points = chainSeries([...alike, latest], id);
      return points.length < 2 || points.at(-1)?.chain === points.at(-2)?.chain;
    });
    if (!isJoined) wanted.set(before, [...(wanted.get(before) ?? []), service]);
  }
  return wanted;
}
