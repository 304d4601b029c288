// What to do next.

import type { Advice, JudgedComparison, SimpleAdvice } from "../../model/verdict.ts";
import { formatDetectable, formatFraction } from "../../text/format.ts";
import { describeCulprits } from "../../text/machine.ts";
import { listed, nameOf } from "./names.ts";

const SIMPLE: Readonly<Record<SimpleAdvice, string>> = {
  "look-at-change":
    "Look at the change: the report's percentile curves show which requests got slower.",
  "look-at-slow":
    "Look for what stops requests now and then: a lock, a collection, a full queue, a call that waits. It may be rarer than the percentile curves show.",
  "look-at-answers":
    "Look for what makes the candidate answer wrongly: send the scenario's request many times and read the service's log.",
  "look-at-leak":
    "Look for what the change keeps of each request: a cache without a limit, a list, a listener, a goroutine. Two heap profiles some thousand requests apart show it.",
  "look-at-memory":
    "Look at what the change loads or keeps: tables, buffers, pools, new dependencies. Heap profiles of both builds show it.",
  "look-at-cpu":
    "Look at what the change does in each request: CPU profiles of both builds under the scenario's load show it.",
  "look-at-cpu-first":
    "Look first at the CPU that a request takes: more of it may be why the tail is slower. Then look at the report's percentile curves.",
  "look-at-startup":
    "Look at what the service does before it is ready: what it imports, reads, computes, or waits for.",
  "look-at-resources":
    "Look at what the change starts, opens or waits for: threads, locks, files and connections.",
  "look-at-limit":
    "Look at what takes most, set another max in tailgate.yml, or accept it for a while by an entry under waivers whose metric ends in .max: a limit is of what this machine measures, and the reference may be over it too.",
  "raise-waiver":
    "If the cost is intended, raise the waiver's upTo in tailgate.yml, above the interval shown: more is proven than it accepts.",
  "add-waiver":
    "If the cost is intended, accept it for a while: an entry under waivers in tailgate.yml, with a limit, a reason, an owner and a last day.",
  "raise-unproven-waiver":
    "If the cost is intended, raise the waiver's upTo in tailgate.yml, above the interval shown: a regression is proven that may be larger than it accepts.",
  "record-more-days":
    "Let a nightly run record the history (mode: nightly) until it shows this machine's drift, or measure the reference alongside (--compare base).",
  "record-baseline":
    "Record one of the default branch on this machine: mode: update-baseline in a workflow, tailgate baseline record in a terminal. Or measure the reference alongside: compare: base.",
  doctor: "Run tailgate doctor: it lists what adds noise on this machine, with the fixes.",
  "lower-rate": "Lower the scenario's rate to 50 to 60 % of what the service can serve.",
  "own-data":
    "To give each version its own data, set its isolation to separate in tailgate.yml: the service had started in earlier rounds, and what the other version wrote, such as a migration, may break it.",
  "try-start": "Start the service by hand with the scenario's request and look at what it prints.",
  "more-time": "Give it longer (policy.timeBudget): a scenario was never measured.",
  "resume-shards":
    "Run every shard again: on GitHub by Re-run all jobs, elsewhere with --resume. Each goes on where it ended.",
  "near-limit":
    "Leave it more room, by a larger max in tailgate.yml or a lighter change: a value so near to its limit takes many rounds to tell from it.",
  "measure-as-base":
    "Measure what the base branch's configuration asks for: bring the branch up to date with its base, and change limits or workloads in a pull request of their own.",
  "error-budget":
    "If a service is meant to refuse some requests, say how many: policy.errorBudget in tailgate.yml, such as 0.1%.",
  "quiet-machine":
    "Run on a quiet machine: other programs used the measured CPUs. tailgate doctor names them.",
  "own-machine":
    "Pin this machine's CPUs on its host, or run on dedicated hardware: other machines on it, or a limit of power, took or slowed them, which nothing inside this one can prevent.",
  "relieve-generator":
    "Lower the rate, use fewer connections, or give the load generator more CPUs (runner.cpus.generator): it could not hold the rate.",
  "try-request":
    "Try the scenario's request by hand, and compare the answer with what tailgate.yml expects: under load the service answered wrongly.",
  "check-request":
    "Try the scenario's request by hand, and correct its path, or what it expects, in tailgate.yml: in every measurement there were wrong answers.",
  "compare-answers":
    "Send the scenario's request to both builds and compare the answers; where they may differ, take answers out of the scenario in tailgate.yml, or list what may differ under answers.ignore.",
  "lift-quota":
    "Lift the CPU quota of the control group, which stopped the run (CPUQuota of systemd, --cpus of Docker, limits.cpu of Kubernetes).",
};

export function describeAdvice(
  advice: Advice,
  comparisons: ReadonlyMap<string, JudgedComparison>,
): string {
  switch (advice.code) {
    case "measure-on":
      return `Go on with this run where it ended: Re-run jobs in a workflow, --resume in a terminal. Or give it longer from the start: policy.timeBudget. At most ${advice.mostRounds} rounds are looked at.`;
    case "stop-others":
      return `Stop what else runs here, or use a dedicated machine: ${describeCulprits(advice.culprits)}, none of it this run's. Measurements that others disturb prove no pass of latency.`;
    case "answer-all": {
      const unanswered =
        advice.open === 1
          ? "1 gated metric has no answer"
          : `${advice.open} gated metrics have no answer`;
      return `To have all answers, run with --answer-all or set answerAll: true under policy in tailgate.yml: the run ended at its first regression, so ${unanswered}.`;
    }
    case "ungate":
      return `Set the level of ${listed(advice.comparisons.map((id) => nameOf(id, comparisons)))} to warn or info: a value of 0 has no ratio and cannot be gated.`;
    case "noise": {
      const { sd = null, detectable = null } = comparisons.get(advice.comparison) ?? {};
      return `Use a calmer machine, set the level of ${nameOf(advice.comparison, comparisons)} to warn, or give it a margin above ${formatDetectable(detectable)}: it varies by ${formatFraction(sd)} from round to round here, and a run like this detects no smaller change.`;
    }
    default:
      return SIMPLE[advice.code];
  }
}
