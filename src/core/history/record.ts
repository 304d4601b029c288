// The record of a run: a pure function of its samples, its report and where it ran.
import { UserError } from "../base/errors.ts";
import { type HistoryPoint, type HistoryRecord, seriesId } from "../model/history.ts";
import { wholeRounds } from "../model/parts.ts";
import type { Report } from "../model/report.ts";
import { referenceOf, type Samples } from "../model/samples.ts";
import type { Comparison } from "../model/verdict.ts";
import { isolationOf, wholeWorkloadHash, workloadHash } from "../model/workload.ts";
import { median } from "../stats/dispersion.ts";
import { INTERVAL_LEVEL } from "../verdict/decide.ts";
import { type Hypothesis, measuredOf } from "../verdict/hypotheses.ts";
import { calmPart, type RoundValue, readSeries } from "../verdict/series.ts";

/** What the samples cannot say. */
interface RunPlace {
  /** Of the page that shows the run; null: it has none. */
  url: string | null;
  /** First parent of the candidate's commit; null: not known, or none. */
  parent: string | null;
  /** As HistoryRecord has it. */
  shard: string | null;
}

/** A level of fewer launches is luck. */
const FEWEST_FOR_LEVEL = 3;
const SIGNIFICANT_DIGITS = 4;
/** Of log ratios: a thousandth of a percent. */
const DECIMALS = 5;

/** Throws a UserError where the samples are of no commit, or of a run that is under way. */
export function historyRecord(
  samples: Samples,
  { verdict }: Pick<Report, "verdict">,
  { url, parent, shard }: RunPlace,
): HistoryRecord {
  const { run, sources, config, host } = samples;
  if (sources.candidate.dirty) {
    throw new UserError("the history is of commits, and the candidate had uncommitted changes", {
      next: "Commit or stash them, and measure again.",
    });
  }
  if (run.state === "running") {
    throw new UserError(`run ${run.id} has not ended, or was killed: it is not recorded`, {
      next: "Go on with it (--resume), or measure again.",
    });
  }
  const hypotheses = measuredOf(samples).filter(
    ({ policy, against, among }) =>
      against !== "limit" &&
      among === undefined &&
      (policy.level !== "info" || policy.max !== undefined),
  );
  const points = hypotheses.flatMap((hypothesis): [string, HistoryPoint][] => {
    const point = pointOf(hypothesis, samples, verdict.comparisons);
    return point === null ? [] : [[seriesId(hypothesis), point]];
  });
  const waived = hypotheses.filter(
    ({ id }) => comparisonOf(id, verdict.comparisons)?.state === "waived",
  );
  const names = config.services.map(({ name }) => name);
  const isolation = names.flatMap((name) => {
    const own = isolationOf(samples, name);
    return Object.keys(own).length === 0 ? [] : [[name, own] as const];
  });
  return {
    schema: "tailgate.history.v1",
    tool: samples.tool,
    run: { id: run.id, url, startedAt: run.startedAt, shard },
    commit: { sha: sources.candidate.commit, parent, subject: sources.candidate.subject },
    anchors: anchorsOf(samples, names),
    runnerClass: config.runner.class,
    fingerprint: host.fingerprint,
    workloads: Object.fromEntries([
      ...config.scenarios.map((scenario) => [scenario.id, workloadHash(scenario, config)]),
      ...names.map((name) => [name, wholeWorkloadHash(name, config)]),
    ]),
    ...(isolation.length === 0 ? {} : { isolation: Object.fromEntries(isolation) }),
    verdict: verdict.state,
    ...(waived.length === 0 ? {} : { waived: waived.map(seriesId) }),
    level:
      verdict.comparisons.find(({ against }) => against !== "stored")?.interval?.level ??
      INTERVAL_LEVEL,
    series: Object.fromEntries(points),
  };
}

function anchorsOf({ sources }: Samples, services: readonly string[]): HistoryRecord["anchors"] {
  return Object.fromEntries(
    services.flatMap((name) => {
      const reference = referenceOf(sources, name);
      return reference === null
        ? []
        : [[name, { commit: reference.commit, name: reference.label }] as const];
    }),
  );
}

/** Null: no round says anything of it. */
function pointOf(hypothesis: Hypothesis, samples: Samples, comparisons: readonly Comparison[]) {
  const { scenario, id } = hypothesis;
  const rounds = scenario === null ? wholeRounds(samples) : samples.rounds;
  const series = calmPart(readSeries(hypothesis, rounds));
  const levelOf = (arm: (value: RoundValue) => number): number | null => {
    const values = series.values.map(arm).filter((value) => Number.isFinite(value));
    // Without its zeros a metric would be what it is in the launches in which something happened.
    if (series.zeros > 0 || values.length < FEWEST_FOR_LEVEL) return null;
    return Number(median(values).toPrecision(SIGNIFICANT_DIGITS));
  };
  const found = comparisonOf(id, comparisons);
  const point: HistoryPoint = {
    candidate: levelOf(({ candidate }) => candidate),
    anchor: levelOf(({ reference }) => reference),
    ratio:
      found?.estimate == null
        ? null
        : {
            estimate: rounded(found.estimate),
            low: roundedOrNull(found.interval?.low),
            high: roundedOrNull(found.interval?.high),
          },
    rounds: found?.rounds ?? series.values.length,
    detectable: roundedOrNull(found?.detectable),
    ...(hypothesis.policy.max === undefined ? {} : { max: hypothesis.policy.max.value }),
  };
  return point.candidate === null && point.ratio === null ? null : point;
}

/** With the anchor. */
function comparisonOf(id: string, comparisons: readonly Comparison[]): Comparison | undefined {
  return comparisons.find((one) => one.id === id && one.against !== "stored");
}

function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

function roundedOrNull(value: number | null | undefined): number | null {
  return value == null ? null : rounded(value);
}
