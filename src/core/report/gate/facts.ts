// How a report came about, as label and plain text.
import { METRIC_FACTS } from "../../model/metric.ts";
import { total } from "../../model/parts.ts";
import type { Report } from "../../model/report.ts";
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatFraction,
  formatShare,
} from "../../text/format.ts";
import { describeRules } from "../../text/machine.ts";
import type { Facts } from "../kit/blocks.ts";
import { describeDependencies, machineFacts } from "../provenance.ts";
import { autoMargins } from "../words/cautions.ts";
import { metricName } from "../words/names.ts";
import { describeUnchanged } from "../words/verdict.ts";

const COMPARE_MEANING: Readonly<Record<Report["run"]["compare"], string>> = {
  base: "reference built and measured alongside",
  replay: "the stored baseline's commit, rebuilt and measured alongside",
  stored: "candidate alone, against stored values of another day: the weaker evidence",
};

export function measurementFacts(report: Report): Facts {
  const { run, config, cpuSets } = report;
  const { policy } = config;
  return {
    ...machineFacts(report.host.fingerprint, cpuSets, `, class ${config.runner.class}`),
    runner: describeRunner(report.runner),
    margins: [...autoMargins(config).values()].join("; "),
    dependencies: describeDependencies(report.dependencies ?? []),
    comparison: `${run.compare}: ${COMPARE_MEANING[run.compare]}`,
    "not measured": describeUnchanged(report.verdict.unchanged),
    rounds: describeRounds(report),
    measurements: describeSlices(report),
    time: `${formatDuration(run.measuredMs)} measured${describeSessions(run)}${run.loadShare === null ? "" : `, load running for ${formatShare(run.loadShare)} of it`}; ended: ${run.ended}`,
    decision: `asked after every round; a false alarm has a chance of at most ${formatFraction(policy.alpha)} over all that is gated together; a change as large as its limit passes with a chance of at most ${formatFraction(policy.beta)}`,
    "absolute floors": describeFloors(report),
    seed: String(run.seed),
    run: [{ code: run.id }, `, started ${run.startedAt}, ${report.tool}`],
  };
}

function describeSessions({ continuedAfter = [] }: Report["run"]): string {
  if (continuedAfter.length === 0) return "";
  return ` in ${continuedAfter.length + 1} sessions, continued after ${continuedAfter.map(formatCount).join(" and ")} rounds`;
}

/** What the calibration expected; the comparisons say what came. */
function describeRunner(runner: Report["runner"]): string {
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

function describeRounds({ run, scenarios }: Report): string {
  if (scenarios.length === 0) return "";
  return `${range(scenarios.map(({ rounds }) => rounds))} a scenario, each a fresh start of ${run.compare === "stored" ? "the candidate" : "both builds"}; ${range(scenarios.map(({ requestsPerArmRound }) => requestsPerArmRound))} requests per build and round`;
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
      ? "none discarded"
      : `${formatCount(run.voidSlices)} discarded${share} and measured again: ${rules}`;
  return `${formatCount(run.slices)} of ${durations.map(formatDuration).join(" or ")}, ${voided}${describeDisturbed(run.disturbedByRule)}`;
}

function describeDisturbed(byRule: Report["run"]["disturbedByRule"]): string {
  const slices = total(byRule);
  if (slices === 0) return "";
  return `; ${formatCount(slices)} count although something else took the machine: ${describeRules(byRule)}`;
}

function describeFloors({ config }: Report): string {
  return config.policy.metrics
    .filter(({ level, absoluteFloor }) => level === "gate" && absoluteFloor > 0)
    .map(({ metric, estimator, absoluteFloor }) => {
      const amount = formatAmount(METRIC_FACTS[metric].unit, absoluteFloor);
      return `${metricName({ metric, estimator })} ${amount}`;
    })
    .join(", ");
}

/** Commands that repeat the run, a merge's too; null: uncommitted changes, or an odd commit id. */
export function reproduceCommands({ sources: { candidate, reference }, run }: Report) {
  const { commit, dirty } = candidate;
  const ids = [commit, reference?.commit ?? commit];
  if (dirty || !ids.every((id) => /^[0-9a-f]{7,64}$/.test(id))) return null;
  const against = reference === null ? " --history history" : ` --reference ${reference.commit}`;
  return [
    `git checkout ${commit} || git fetch origin ${commit} && git checkout ${commit}`,
    `tailgate gate --compare ${run.compare === "replay" ? "base" : run.compare}${against}${reference?.commit === commit ? " --measure-unchanged" : ""} --seed ${run.seed}`,
  ];
}
