// What to do next. Looks at what happened: nothing is advised that was done already.

import type { Fault } from "../model/fault.ts";
import { isLatencyMetric, type Metric } from "../model/metric.ts";
import { mostFirst } from "../model/parts.ts";
import type { DisturbanceRule, Round, Samples } from "../model/samples.ts";
import type {
  Advice,
  JudgedComparison,
  JudgedWaiver,
  SimpleAdvice,
  VerdictState,
} from "../model/verdict.ts";
import { SLICE_RULE_FACTS } from "../slice/rules.ts";
import { capacityCautions } from "./capacity-seen.ts";
import { hostNoise } from "./disturbances.ts";
import { mostRoundsOf } from "./futility.ts";
import { measuredOf, type Unanswerable } from "./hypotheses.ts";
import { readSeries } from "./series.ts";
import { storedId } from "./stored.ts";

/** From this share of a question's rounds on, noise of the host is why it is open. */
const NOISY_SHARE = 0.2;
/** As a log ratio: a value farther from its limit is open for another reason than how near it is. */
const NEAR_LIMIT = 0.2;

interface Situation {
  deciding: readonly JudgedComparison[];
  faults: readonly Fault[];
  samples: Samples;
  unanswerable: ReadonlyMap<string, Unanswerable>;
  waivers: readonly JudgedWaiver[];
}

export function adviseNext(state: VerdictState, situation: Situation): Advice[] {
  switch (state) {
    case "pass":
    case "improved":
      return [];
    case "regressed":
      return [
        ...lookAt(situation),
        ...adviseAccepting(situation),
        ...adviseOnUnanswered(situation),
        ...adviseOnFaults(situation),
      ];
    case "inconclusive":
      return adviseInconclusive(situation);
    case "no-baseline":
      return [{ code: "record-baseline" }];
    case "invalid":
      return adviseOnFaults(situation);
  }
}

/** By what regressed, each once; not at what profiles of both builds have shown. */
function lookAt({ deciding, samples }: Situation): Advice[] {
  const worse = deciding.filter(({ state }) => state === "regressed");
  const { cause } = samples.explanation ?? {};
  const shown = new Set(cause && ["look-at-cpu", cause === "memory" && "look-at-memory"]);
  // Who works longer on each request answers later, and keeps no rate; what is shown need not be
  // looked at first.
  const busier = worse.flatMap(({ service, metric, against }) =>
    metric === "cpuPer1k" && against !== "limit" && cause === undefined ? service : [],
  );
  const beyond = new Set<string | null>(capacityCautions(samples).map((one) => one.scenario));
  const codes = worse.map(({ service, scenario, metric, growth, against }) => {
    if (against === "limit") return "look-at-limit";
    if (growth?.kind === "leak") return "look-at-leak";
    const code = LOOK_AT[metric] ?? (isLatencyMetric(metric) ? "look-at-change" : "look-at-memory");
    const isBusier = busier.includes(service) || beyond.has(scenario);
    return code === "look-at-change" && isBusier ? "look-at-cpu-first" : code;
  });
  return [...new Set(codes).difference(shown)].map((code) => ({ code }));
}

/** Other latencies have curves; all else that is measured of a launch is memory. */
const LOOK_AT: Readonly<Partial<Record<Metric, SimpleAdvice>>> = {
  slow: "look-at-slow",
  errors: "look-at-answers",
  startup: "look-at-startup",
  cpuPer1k: "look-at-cpu",
  ctxVoluntaryPer1k: "look-at-resources",
  ctxInvoluntaryPer1k: "look-at-resources",
  threads: "look-at-resources",
  fds: "look-at-resources",
};

function adviseOnFaults({ faults, samples }: Situation): Advice[] {
  const codes = new Set<SimpleAdvice>();
  if (samples.rounds.some((round) => hasFoundOthersData(round, samples))) codes.add("own-data");
  // A failed service explains why nothing was measured.
  const hasFailed = faults.some(({ kind }) => kind === "failure");
  for (const fault of faults) {
    if (hasFailed && fault.kind === "missing") continue;
    for (const code of adviseOnFault(fault)) codes.add(code);
  }
  return [...codes].map((code) => ({ code }));
}

/** A service that started before may fail on what the other version wrote. */
function hasFoundOthersData(
  { service, index, failure }: Round,
  { config, run: { merged, shard }, dependencies = [] }: Samples,
): boolean {
  const isStart = failure?.kind === "start" || failure?.kind === "not-ready";
  const machines = merged?.of ?? shard?.parts ?? 1;
  if (!isStart || failure.arm === null || index < machines) return false;
  const { needs = [] } = config.services.find(({ name }) => name === service)?.recipe ?? {};
  return dependencies.some(
    ({ name, isolation, contents: { candidate, reference } }) =>
      needs.includes(name) && isolation === "shared" && candidate === reference,
  );
}

function adviseOnUnanswered({ deciding, samples }: Situation): Advice[] {
  const open = deciding.filter(({ state }) => state === "inconclusive").length;
  return samples.run.ended === "regressed" && open > 0 ? [{ code: "answer-all", open }] : [];
}

/** Wrong answers no waiver accepts; how a limit is waived its own advice says. */
function adviseAccepting({ deciding, waivers }: Situation): Advice[] {
  const isExceeded = waivers.some(({ state }) => state === "exceeded");
  const codes = deciding.flatMap(({ state, answers, against }): SimpleAdvice | [] => {
    if (state !== "regressed") return [];
    if (answers !== undefined) return "error-budget";
    if (isExceeded) return "raise-waiver";
    return against === "limit" ? [] : "add-waiver";
  });
  return [...new Set(codes)].map((code) => ({ code }));
}

function adviseInconclusive({ deciding, samples, unanswerable }: Situation): Advice[] {
  const open = deciding.filter(({ state }) => state === "inconclusive");
  const mostRounds = mostRoundsOf(samples.run);
  const advice: Advice[] = [];
  if (open.some(({ waiver }) => waiver?.regressionProven === true)) {
    advice.push({ code: "raise-unproven-waiver" });
  }
  const answerable = open.filter(({ id }) => !unanswerable.has(id));
  const wasStopped = samples.run.state === "interrupted";
  const onHost = wasStopped ? [] : adviseOnHost(answerable, samples);
  advice.push(...onHost);
  if (answerable.some(({ rounds }) => rounds < mostRounds)) {
    const isMerged = samples.run.merged !== undefined;
    advice.push(isMerged ? { code: "resume-shards" } : { code: "measure-on", mostRounds });
  }
  if (open.some(({ id }) => unanswerable.get(id) === "no-drift")) {
    advice.push({ code: "record-more-days" });
  }
  const zero = open.filter(({ id }) => unanswerable.get(id) === "zero");
  if (zero.length > 0) advice.push({ code: "ungate", comparisons: zero.map(({ id }) => id) });
  // Before any answer could have come, noise is not the reason.
  const late = answerable.filter(({ finding }) => !("more" in finding));
  const isNear = ({ against, estimate }: JudgedComparison): boolean =>
    against === "limit" && Math.abs(estimate ?? 0) < NEAR_LIMIT;
  if (late.some(isNear)) advice.push({ code: "near-limit" });
  // While others use the machine, no margin helps; nor does one that is wide enough already.
  const [noisiest] = late
    .filter(({ against, detectable, margin }) => against !== "limit" && (detectable ?? 0) > margin)
    .toSorted((a, b) => (b.sd ?? 0) - (a.sd ?? 0));
  if (noisiest && onHost.length === 0 && !wasStopped)
    advice.push({ code: "noise", comparison: noisiest.id });
  if (samples.host.findings.some(({ level }) => level === "bad")) advice.push({ code: "doctor" });
  return advice;
}

/** What kept open hypotheses' rounds from proving a pass. */
function adviseOnHost(open: readonly JudgedComparison[], samples: Samples): Advice[] {
  const ids = new Set(open.map(({ id }) => id));
  const noisy = measuredOf(samples).filter((hypothesis) => {
    if (!ids.has(hypothesis.id) && !ids.has(storedId(hypothesis))) return false;
    const { values } = readSeries(hypothesis, samples.rounds);
    const disturbed = values.filter(({ calm }) => !calm).length;
    return disturbed >= NOISY_SHARE * values.length;
  });
  if (noisy.length === 0) return [];
  const scenarios = new Set(noisy.flatMap(({ scenario, among = [] }) => scenario ?? among));
  const { byRule, slices, culprits } = hostNoise(samples.rounds, scenarios);
  const [most] = mostFirst(byRule);
  if (most === undefined) return [];
  const [rule, disturbed] = most as [DisturbanceRule, number];
  const code = SLICE_RULE_FACTS[rule][disturbed === slices ? "always" : "sometimes"].advice;
  return code === "quiet-machine" && culprits.length > 0
    ? [{ code: "stop-others", culprits }]
    : [{ code }];
}

function adviseOnFault(fault: Fault): SimpleAdvice[] {
  switch (fault.kind) {
    case "saturated":
      return [SLICE_RULE_FACTS.saturated.always.advice];
    case "failure":
      return ["try-start"];
    case "answers-differ":
    case "answers-unsteady":
    case "answers-not-json":
      return ["compare-answers"];
    case "otherwise":
      return ["measure-as-base"];
    case "missing":
      return [adviseOnVoids(fault, fault.voided)];
    case "errors":
      return [adviseOnVoids(fault, fault.failed), "error-budget"];
  }
}

function adviseOnVoids({ rule, slices }: Extract<Fault, { slices: number }>, voided: number) {
  if (rule === null) return "more-time";
  return SLICE_RULE_FACTS[rule][voided === slices ? "always" : "sometimes"].advice;
}
