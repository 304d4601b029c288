// What a report says about how it came about, as label and text: the same facts in every rendering, in plain text that
// each medium escapes itself.
import { METRIC_FACTS } from "../model/metric.ts";
import type { Report } from "../model/report.ts";
import type { ArtifactFacts, Source } from "../model/samples.ts";
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
  formatValue,
  NOTHING,
} from "./format.ts";
import { describeCpuSets, describeMachine } from "./machine.ts";

export interface Fact {
  label: string;
  text: string;
}

/** How a reference was chosen, for people. */
const COMPARE_MEANING: Readonly<Record<Report["run"]["compare"], string>> = {
  base: "reference built and measured alongside",
  replay: "the stored baseline's commit, rebuilt and measured alongside",
  stored: "candidate alone, against stored values of another day: the weaker evidence",
};

export function shortCommit(commit: string): string {
  return commit.slice(0, 10);
}

/** `9f1c2d3e4a + uncommitted changes, feature/pool "Use a pool"`: what matters most first, as the end may be cut. */
export function describeSource(source: Source): string {
  const code = shortCommit(source.commit) + (source.dirty ? " + uncommitted changes," : "");
  return `${code} ${source.label} "${source.subject}"`;
}

export function sourceFacts({ sources, run }: Report): Fact[] {
  return [
    { label: "candidate", text: describeSource(sources.candidate) },
    {
      label: "reference",
      text:
        sources.reference === null
          ? `none: ${COMPARE_MEANING[run.compare]}`
          : describeSource(sources.reference),
    },
  ];
}

export function measurementFacts(report: Report): Fact[] {
  const { run, config, cpuSets } = report;
  const { policy } = config;
  const gated = report.verdict.comparisons.filter(({ level }) => level === "gate").length;
  const facts: Fact[] = [
    {
      label: "machine",
      text: `${describeMachine(report.host.fingerprint)}, class ${config.runner.class}`,
    },
    {
      label: "CPU sets",
      text: describeCpuSets(cpuSets),
    },
    { label: "generator", text: report.host.fingerprint.generator },
    { label: "runner", text: describeRunner(report.runner) },
    { label: "comparison", text: `${run.compare}: ${COMPARE_MEANING[run.compare]}` },
    { label: "rounds", text: describeRounds(report) },
    { label: "slices", text: describeSlices(report) },
    {
      label: "time",
      text: `${formatDuration(run.measuredMs)} measured${run.loadShare === null ? "" : `, load running for ${formatShare(run.loadShare)} of it`}; ended: ${run.ended}`,
    },
    {
      label: "decision",
      text: `looks after ${policy.looks.join(", ")} rounds; false alarms at most ${formatFraction(policy.alpha)} over all ${gated} gated metrics together; chance to pass what is as bad as its promise at most ${formatFraction(policy.beta)} each`,
    },
    { label: "absolute floors", text: describeFloors(report) },
    { label: "seed", text: String(run.seed) },
    { label: "run", text: `${run.id}, started ${run.startedAt}, ${report.tool}` },
  ];
  return facts.filter(({ text }) => text !== "");
}

/** What the calibration expected; the comparisons say what came. */
export function describeRunner(runner: Report["runner"]): string {
  if (runner === undefined) return "";
  const when = `calibrated ${runner.calibratedAt.slice(0, 10)} over ${formatCount(runner.rounds)} rounds`;
  if (runner.unusable !== null) return `${when}, which does not count here: ${runner.unusable}`;
  const { expectations } = runner;
  const short = expectations.filter(({ kept }) => !kept).length;
  return [
    when,
    `${expectations.length - short} of ${expectations.length} limits within what it can show`,
    ...(runner.gateMs === null
      ? []
      : [`about ${formatDuration(runner.gateMs)} when nothing changed`]),
  ].join("; ");
}

function describeRounds({ scenarios }: Report): string {
  if (scenarios.length === 0) return "";
  return `${range(scenarios.map(({ rounds }) => rounds))} a scenario, each a fresh start of both arms; ${range(scenarios.map(({ requestsPerArmRound }) => requestsPerArmRound))} requests per arm and round`;
}

function range(values: readonly number[]): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`;
}

function describeSlices({ run, config }: Report): string {
  const durations = [...new Set(config.scenarios.map(({ slice }) => slice.durationMs))];
  const rules = Object.entries(run.voidByRule)
    .map(([rule, count]) => `${rule} ${count}`)
    .join(", ");
  const share = run.slices === 0 ? "" : ` (${formatShare(run.voidSlices / run.slices)})`;
  const voided =
    run.voidSlices === 0
      ? "none void"
      : `${formatCount(run.voidSlices)} void${share} and measured again: ${rules}`;
  return `${formatCount(run.slices)} of ${durations.map(formatDuration).join(" or ")}, ${voided}; more than ${formatFraction(config.policy.maxVoidShare)} void would be invalid`;
}

function describeFloors({ config }: Report): string {
  return config.policy.metrics
    .filter(({ level, absoluteFloor }) => level === "gate" && absoluteFloor > 0)
    .map(({ metric, estimator, absoluteFloor }) => {
      const { label, unit } = METRIC_FACTS[metric];
      const name = estimator === "launch" ? label : `${label} ${estimator}`;
      return `${name} ${formatAmount(unit, absoluteFloor)}`;
    })
    .join(", ");
}

/** One service's build in both arms; null where an arm has none. */
export interface BuildRow {
  service: string;
  arm: ArtifactFacts["arm"];
  took: string;
  size: string;
  stripped: string;
  toolchain: string;
  sha256: string;
}

export function buildRows(artifacts: readonly ArtifactFacts[]): BuildRow[] {
  return artifacts.map((artifact) => ({
    service: artifact.service,
    arm: artifact.arm,
    took: `${formatDuration(artifact.buildMs)}${artifact.cached ? " (cached)" : ""}`,
    size: formatValue("bytes", artifact.binaryBytes),
    stripped: formatValue("bytes", artifact.strippedBytes),
    toolchain: artifact.toolchain === "" ? NOTHING : artifact.toolchain,
    sha256: artifact.sha256.slice(0, 12),
  }));
}

/**
 * The commands that repeat the run on the same code; null where the code cannot be named: uncommitted changes, or a commit
 * that is no commit id (it would be pasted into a shell).
 */
export function reproduceCommands({ sources, run }: Report): string[] | null {
  const { candidate, reference } = sources;
  const isId = (commit: string): boolean => /^[0-9a-f]{7,64}$/.test(commit);
  if (candidate.dirty || !isId(candidate.commit)) return null;
  if (reference !== null && !isId(reference.commit)) return null;
  const against = reference === null ? "" : ` --reference ${reference.commit}`;
  return [
    `git checkout ${candidate.commit}`,
    `tailgate gate --compare ${run.compare === "replay" ? "base" : run.compare}${against} --seed ${run.seed}`,
  ];
}
