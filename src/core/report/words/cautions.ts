// What a person should know although it decides nothing, what a waiver covers among it, and what
// became of that.

import type { Config, Waiver } from "../../model/config.ts";
import type { Caution } from "../../model/fault.ts";
import { METRIC_FACTS, metricLabel } from "../../model/metric.ts";
import type { BaseNote, JudgedComparison, JudgedWaiver } from "../../model/verdict.ts";
import { formatChange, formatEstimate, formatFraction, formatValue } from "../../text/format.ts";
import { describeCulprits, describeRules } from "../../text/machine.ts";
import { gatedOf, listHypotheses } from "../../verdict/hypotheses.ts";
import {
  BUILDS,
  describeAnswers,
  describeCapacity,
  describeDiffering,
  faultText,
} from "./faults.ts";
import { asChange, describeFinding } from "./findings.ts";
import { fullName, listed, metricName, nameOf } from "./names.ts";

/** By which readers sort them. */
export const CAUTION_KINDS: Readonly<Record<Caution["code"], string>> = {
  void: "void",
  disturbed: "host",
  "wrong-answers": "errors",
  "answers-differ": "answers",
  "within-budget": "errors",
  moved: "moved",
  uncompressed: "answers",
  shape: "shape",
  thin: "thin",
  unmeasured: "missing",
  "beyond-capacity": "capacity",
  "shared-cpus": "host",
  "lost-shards": "missing",
  uncommitted: "build",
  "generator-slack": "generator",
  "beyond-runner": "runner",
  noisier: "runner",
  "unsteady-cpus": "host",
  stale: "stale",
  creep: "creep",
  waiver: "waiver",
};

export function describeCaution(
  caution: Caution,
  comparisons: ReadonlyMap<string, JudgedComparison>,
  sides = BUILDS,
): string {
  switch (caution.code) {
    case "void":
      return `${caution.voided} of ${caution.slices} measurements were discarded and repeated.`;
    case "disturbed": {
      const { disturbed, slices, byRule, culprits } = caution;
      const who = culprits.length === 0 ? "" : ` Meanwhile ${describeCulprits(culprits)}.`;
      return `In ${disturbed} of ${slices} measurements something else took the machine (${describeRules(byRule)}): they count, but prove no pass.${who}`;
    }
    case "wrong-answers":
      return `${caution.answers.scenario}: ${describeAnswers(caution.answers, sides)}. They were measured again.`;
    case "answers-differ":
      return `${caution.scenario}: ${describeDiffering(caution)}. If they must be equal, set its answers to same.`;
    case "moved":
      return `${caution.scenario}: the requests differ. Each build was asked what its own tailgate.yml has: ${caution.candidate} of the candidate, ${caution.reference} of the reference.`;
    case "uncompressed":
      return `${listed(caution.scenarios)}: asked without compression, which the service has and most clients ask for. To measure it, add accept-encoding: gzip to headers of the request.`;
    case "within-budget": {
      const { scenario, expected, budget, arms } = caution;
      const counts = arms.map(
        ({ arm, failed, scheduled }) => `${failed} of ${scheduled} of ${sides[arm]}`,
      );
      return `${scenario}: requests failed or were not answered with ${expected}, within the error budget of ${formatFraction(budget)}: ${counts.join(", ")}. Quantiles are of what was answered.`;
    }
    case "shape": {
      const moves = caution.moved.map((one) => `${metricName(one)} ${formatChange(one.estimate)}`);
      return `${caution.scenario}: proven worse, and not gated: ${moves.join(", ")}.`;
    }
    case "thin":
      return `${caution.scenario}: only ${caution.beyond} requests of a round lie beyond the ${metricName(caution)} (${caution.wanted} recommended): raise slice.pairs or slice.duration of the scenario.`;
    case "unmeasured":
      return `${caution.service}: ${METRIC_FACTS[caution.metric].label} was not measured in any round.`;
    case "beyond-capacity":
      return `${caution.scenario}: the rate is beyond what the candidate can serve, and the reference keeps it: requests queued for a free connection in ${caution.saturated} of ${caution.rounds} rounds${describeCapacity(caution.capacity)}.`;
    case "shared-cpus":
      return "Service and load generator share a CPU: the generator disturbs what it measures. Two CPUs or more are needed for a trustworthy p99.";
    case "lost-shards": {
      const [which, whose] = caution.lost.length === 1 ? ["Shard", "its"] : ["Shards", "their"];
      return `${which} ${caution.lost.join(", ")} of ${caution.of} handed nothing over: ${whose} rounds are missing. Run what failed again.`;
    }
    case "uncommitted":
      return "The candidate is the working tree with uncommitted changes.";
    case "generator-slack":
      return describeSlack(caution);
    case "beyond-runner": {
      const least =
        caution.least === null
          ? "it keeps no margin of up to 200 %"
          : `the closest margin it keeps is ${asChange(caution.least)}`;
      return `${nameOf(caution.comparison, comparisons)}: a margin of ${asChange(caution.margin)} is closer than this runner was calibrated to show, and inconclusive is to be expected; ${least}.`;
    }
    case "noisier":
      return `${nameOf(caution.comparison, comparisons)}: it varies by ${formatFraction(caution.sd)} from round to round, where the calibration had ${formatFraction(caution.calibrated)} (at most ${formatFraction(caution.most)}): the machine is disturbed now; tailgate doctor --samples with this run's samples.v1.json says by what.`;
    case "unsteady-cpus":
      return `${nameOf(caution.comparison, comparisons)}: it varies by ${formatFraction(caution.sd)} from round to round, and by up to 4 % where nothing else uses the cores. Either its work varies by itself, or something slows the cores that no counter shows: a neighbour of a virtual machine, or a clock that changes. Then a gate takes longer, and rare slow answers may pass.`;
    case "stale":
      return `The baseline of ${caution.service} is ${Math.floor(caution.ageDays)} days old (limit ${caution.maxAgeDays}): record a new one.`;
    case "creep": {
      const comparison = comparisons.get(caution.comparison);
      return comparison === undefined ? caution.comparison : describeFinding(comparison);
    }
    case "waiver":
      return warnOfWaiver(caution);
  }
}

type Slack = Extract<Caution, { code: "generator-slack" }>;

/**
 * A delay of every request moves all quantiles by as much, so a small share of a reported quantile
 * can be a large one of the service's own time.
 */
function describeSlack({ scenario, slackUs, p50Us, least }: Slack): string {
  const us = (value: number): string => formatValue("us", value);
  const own = `${scenario}: wrk2 itself added ${us(slackUs)} of the median of ${us(p50Us)}: its timers tick in milliseconds.`;
  if (least === undefined) return own;
  const leastUs = least.change * least.valueUs;
  const serviceUs = p50Us - slackUs;
  const share =
    serviceUs > 0
      ? `, ${formatFraction(leastUs / serviceUs)} of the ${us(serviceUs)} left for the service`
      : "";
  return `${own} The margin, ${formatFraction(least.change)} of its ${metricName(least)} of ${us(least.valueUs)}, is ${us(leastUs)} a request${share}: smaller changes can pass. oha sees smaller ones.`;
}

/** How the base branch's terms were applied. Foreign names are quoted. */
export function describeNote(note: BaseNote): string {
  switch (note.code) {
    case "fault":
      return faultText(note.fault);
    case "overruled":
      return `The pull request's configuration has other settings than the base branch's (${note.settings.join(", ")}): the base branch's are applied.`;
    case "not-judged":
      return `${note.scenario} is measured here but not on the base branch: it is shown and not judged.`;
    case "left-out":
      return `${note.scenario} belongs to a service that the base branch's configuration does not have: it is left out.`;
    case "more-rounds":
      return "There are far more rounds than the base branch looks at: the first ones are judged.";
    case "killed":
      return "The run was stopped before it was complete.";
  }
}

/** `p99 of echo, up to +15.0 % until 2026-12-31`. */
function describeWaiver(waiver: Waiver): string {
  const { metric, estimator, limit, scenario, service, upTo, expires } = waiver;
  const narrowed = metricLabel({ metric, estimator }) + (limit ? " limit" : "");
  const where = [service, scenario].filter((part) => part !== null).join("/");
  return `${narrowed} of ${where}, up to ${asChange(upTo)} until ${expires}`;
}

export function describeOutcome(
  { waiver, state, comparisons: ids }: JudgedWaiver,
  byId: ReadonlyMap<string, JudgedComparison>,
): string {
  const comparisons = ids.flatMap((id) => byId.get(id) ?? []);
  return `${describeWaiver(waiver)}: ${describeState(state, comparisons)}`;
}

function describeState(state: JudgedWaiver["state"], comparisons: readonly JudgedComparison[]) {
  const changes = listed(comparisons.map((one) => `${fullName(one)} ${formatEstimate(one)}`));
  switch (state) {
    case "used":
      return `accepts ${changes}`;
    case "exceeded":
      return `exceeded by ${changes}`;
    case "unused":
      return "not needed, all passes without it";
    case "undecided":
      return comparisons.length === 0
        ? "nothing that it covers was measured"
        : "undecided, as what it covers was not decided";
    case "expired":
      return "expired, so it does not count";
  }
}

export function warnOfWaiver({
  waiver,
  state,
  daysLeft,
}: Extract<Caution, { code: "waiver" }>): string {
  const name = `The waiver of ${describeWaiver(waiver)}`;
  const owner = `its owner is ${waiver.owner}`;
  if (state === "unused") return `${name} is no longer needed: remove it (${owner}).`;
  if (state === "expired") return `${name} has expired: remove it or renew it (${owner}).`;
  const when = daysLeft === 0 ? "today" : daysLeft === 1 ? "tomorrow" : `in ${daysLeft} days`;
  return `${name} ends ${when}; after it the gate fails (${owner}).`;
}

/** Of gating questions whose margin is `auto`, by id: what it is, and where it comes from. */
export function autoMargins(config: Config): Map<string, string> {
  return new Map(
    gatedOf(listHypotheses(config)).flatMap(({ id, policy, ...one }) => {
      const day = config.policy.autoMargins?.[id]?.calibratedAt.slice(0, 10);
      const from = day ? `from the profile of ${day}` : "but no profile tells of this here";
      const margin = `margin ${formatFraction(policy.margin)} (auto, ${from})`;
      return policy.auto ? [[id, `${fullName({ ...one, ...policy })}: ${margin}`]] : [];
    }),
  );
}
