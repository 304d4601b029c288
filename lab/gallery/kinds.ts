// What the gallery shows: recorded gates of this repository, judged by the present rule, as a comment
// and as a page. Nothing in it is made up but the addresses that a comment links to.
import { reportOn } from "../../src/app/gate/outcome.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { Latency, Samples, ScenarioArm } from "../../src/core/model/samples.ts";
import type { VerdictState } from "../../src/core/model/verdict.ts";
import { type CommentContext, renderComment } from "../../src/core/report/pull-request/comment.ts";
import { makeContext } from "../../test/support/comment-context.ts";
import type { StoredRun } from "../evidence/runs.ts";

interface Kind {
  title: string;
  /** Name of a recorded run. */
  run: string;
  state: VerdictState;
  /** How the id of the one metric ends that is red; null: none is. */
  red: string | null;
  trust: CommentContext["trust"];
}

export const KINDS = {
  pass: {
    title: "a pass",
    run: "2026-11-27T085821Z-aa-calm",
    state: "pass",
    red: null,
    trust: "own",
  },
  latency: {
    title: "red by latency",
    run: "2026-11-25T053142Z-p99+20",
    state: "regressed",
    red: "p99 typical",
    trust: "own",
  },
  tail: {
    title: "red by one request in 200 that takes 20 ms longer",
    run: "2026-11-25T043148Z-one-in-200-by-20ms",
    state: "regressed",
    red: "p99 typical",
    trust: "own",
  },
  leak: {
    title: "red by a leak",
    run: "2026-11-24T112853Z-leak-2KB",
    state: "regressed",
    red: "rss",
    trust: "own",
  },
  stalls: {
    title: "red by rare stalls",
    run: "2026-11-27T095050Z-stall-one-in-source",
    state: "regressed",
    red: "slow",
    trust: "own",
  },
  inconclusive: {
    title: "undecided: others used the CPUs",
    run: "2026-11-24T002121Z-aa-disturbed",
    state: "inconclusive",
    red: null,
    trust: "own",
  },
  added: {
    title: "a pass beside a scenario that only the change has",
    run: "2026-11-27T222010Z-new-scenario",
    state: "pass",
    red: null,
    trust: "own",
  },
  fork: {
    title: "of a fork: red by CPU time, by numbers of the fork's own job",
    run: "2026-11-27T092513Z-cpu+20-in-source",
    state: "regressed",
    red: "cpuPer1k",
    trust: "attested",
  },
} as const satisfies Record<string, Kind>;

export interface Shown {
  report: Report;
  /** Markdown. */
  comment: string;
}

export function showKind({ run: name, trust }: Kind, runs: readonly StoredRun[]): Shown {
  const run = runs.find((one) => one.name === name);
  if (run === undefined) throw new Error(`no recorded run is called ${name}`);
  const report = reportOn(withCurves(run.samples), []);
  return { report, comment: renderComment(report, contextOf(run, trust)) };
}

const SERVER = "https://github.com/tailgate/tailgate";

function contextOf(
  { samples: { sources } }: StoredRun,
  trust: CommentContext["trust"],
): CommentContext {
  return makeContext({
    identity: { repository: "tailgate/tailgate", key: "default" },
    origin: { runId: 1, attempt: 1, headSha: sources.candidate.commit },
    trust,
    base: { ref: "main", commit: sources.reference?.commit ?? sources.candidate.commit },
    runUrl: `${SERVER}/actions/runs/1`,
    samplesUrl: `${SERVER}/actions/runs/1/artifacts/1`,
    reportUrl: `${SERVER}/actions/runs/1/artifacts/2`,
  });
}

const QUANTILES = [
  [0.5, "p50"],
  [0.9, "p90"],
  [0.95, "p95"],
  [0.99, "p99"],
  [0.999, "p999"],
] as const;

/** What is kept of a recorded round has no curve, but the quantiles that every one is drawn through. */
function withCurves(samples: Samples): Samples {
  const curveOf = (latency: Latency | null): ScenarioArm["curve"] =>
    latency === null ? [] : QUANTILES.map(([share, name]) => [share, latency[name]]);
  const drawn = (arm: ScenarioArm): ScenarioArm =>
    arm.curve.length > 0 ? arm : { ...arm, curve: curveOf(arm.pooled) };
  const rounds = samples.rounds.map((round) => ({
    ...round,
    scenarios: round.scenarios.map(({ arms, ...scenario }) => ({
      ...scenario,
      arms: {
        candidate: drawn(arms.candidate),
        reference: arms.reference === null ? null : drawn(arms.reference),
      },
    })),
  }));
  return { ...samples, rounds };
}
