// Why a run ended, and its faults in words: where and what, and a detail on why.
import type { Fault, SeenCapacity, WrongAnswers } from "../../model/fault.ts";
import type { Answer, Arm, JsonDifference, RunEnd } from "../../model/samples.ts";
import { formatCount, formatFraction } from "../../text/format.ts";

export const END_WORDS: Readonly<Record<RunEnd, string>> = {
  answered: "no open question is left that more rounds could answer",
  rounds: "all rounds are measured",
  launches: "all launches are measured",
  screened: "the screen is over",
  share: "each shard has measured its share",
  regressed: "a regression is proven (--answer-all answers the rest too)",
  "max-rounds": "no more rounds are looked at",
  "out-of-time": "the time budget is used up",
  futile:
    "the host was too noisy, or rounds differed too much, for an answer within the time budget",
  interrupted: "stopped by a signal",
  running: "the run was killed",
  failed: "the run failed",
};

/** What the two sides of a run are called. */
export type Sides = Readonly<Record<Arm | "both", string>>;

export const BUILDS: Sides = {
  candidate: "the candidate",
  reference: "the reference",
  both: "both builds",
};

export function describeFault(fault: Fault, sides = BUILDS): string {
  return `${faultText(fault, sides)}\n${faultDetail(fault)}`.trimEnd();
}

export function faultText(fault: Fault, sides = BUILDS): string {
  const where = fault.scenario === null ? "" : `${fault.scenario}: `;
  switch (fault.kind) {
    case "failure":
      return fault.text;
    case "errors":
      return where + describeAnswers(fault, sides);
    case "saturated":
      return `${where}the rate is beyond what ${sides[fault.arm]} can serve: requests queued for a free connection in ${fault.saturated} of ${fault.rounds} rounds${describeCapacity(fault.capacity)}`;
    case "answers-differ":
      return where + describeDiffering(fault, sides);
    case "answers-unsteady":
      return `${where}answers of one build differ from launch to launch, or there were none${fault.difference === undefined ? "" : `; the builds' differ first ${describeJson(fault.difference, sides)}`}`;
    case "answers-not-json":
      return `${where}${sides[fault.arm]}'s answer is not JSON, and the scenario's answers are to be compared as JSON`;
    case "missing":
      return `${where}no round was measured${fault.voided === 0 ? "" : `: ${fault.voided} of ${fault.slices} measurements are discarded, mostly by rule ${fault.rule}: ${fault.example}`}`;
    case "otherwise":
      return where + describeDifference(fault.difference);
  }
}

/** Empty where the text says it all. */
export function faultDetail(fault: Fault): string {
  switch (fault.kind) {
    case "failure":
      return fault.detail;
    case "errors":
      return "Such measurements are repeated, so only requests that went well would count: that says nothing of the service.";
    case "saturated":
      return `Above capacity, latency grows with the length of the run and is no property of the code. A rate at 50 to 60 % of capacity compares best${fittingRate(fault.capacity)}.`;
    case "answers-differ":
    case "answers-unsteady":
    case "answers-not-json":
      return "The scenario requires equal answers: builds that do different work cannot be compared.";
    case "missing":
      return END_WORDS[fault.ended];
    case "otherwise":
      return differenceDetail(fault.difference);
  }
}

/** `, here about 700/s`. Empty: the capacity is not known. */
function fittingRate(seen: SeenCapacity | undefined): string {
  const capacityRps = seen?.cpusRps ?? seen?.servedRps ?? null;
  return capacityRps === null ? "" : `, here about ${rate(0.55 * capacityRps)}/s`;
}

/** `; of 2,000 requests/s it served about 1,200 with 98 % of its CPUs`. Empty: it is not known. */
export function describeCapacity(seen: SeenCapacity | undefined): string {
  if (seen === undefined) return "";
  const { rateRps, servedRps, cpuShare, cpusRps } = seen;
  const all = cpusRps === undefined ? "" : `; all of them would serve about ${rate(cpusRps)}`;
  const cpu = `${formatFraction(cpuShare)} of its CPUs${all}`;
  return servedRps === null
    ? `; the service used ${cpu}`
    : `; of ${formatCount(rateRps)} requests/s it served about ${rate(servedRps)} with ${cpu}`;
}

/** To two digits, since it is an estimate. */
function rate(rps: number): string {
  return formatCount(Number(rps.toPrecision(2)));
}

/** `requests to the candidate went wrong in 3 of 128 measurements, mostly 503 (36 ×); the last: …`. */
export function describeAnswers(answers: WrongAnswers, sides = BUILDS): string {
  const { arm, failed, slices, mostly, example } = answers;
  const most = mostly === null ? "" : `, mostly ${mostly.what} (${mostly.times} ×)`;
  return `requests to ${sides[arm]} went wrong in ${failed} of ${slices} measurements${most}; the last: ${example}`;
}

type Differing = Omit<Extract<Fault, { kind: "answers-differ" }>, "kind" | "scenario" | "rule">;

/**
 * `answers differ: 12 bytes of text/plain from the candidate, 2,048 bytes of … from the reference`
 */
export function describeDiffering(
  { what, candidate, reference, difference }: Differing,
  sides = BUILDS,
): string {
  if (difference !== undefined) return `answers differ ${describeJson(difference, sides)}`;
  const [theirs, ours] = [reference, candidate].map(answerSize);
  if (what === "content" && theirs === ours) {
    return `answers differ in content, ${ours} from ${sides.both}`;
  }
  const which = what === "load" ? "answers to the load differ: on average" : "answers differ:";
  return `${which} ${ours} from ${sides.candidate}, ${theirs} from ${sides.reference}`;
}

/** `2,048 bytes of text/plain`, with the type as the service gave it. */
export function answerSize({ bytes, contentType }: Pick<Answer, "bytes" | "contentType">): string {
  return `${formatCount(bytes)} bytes${contentType === null ? "" : ` of ${contentType}`}`;
}

/** `at items.0.price: 12 from the candidate, "12" from the reference`. */
function describeJson({ path, candidate, reference }: JsonDifference, sides: Sides): string {
  const where = path === "" ? "as a whole" : `at ${path}`;
  return `${where}: ${seenWords(candidate)} from ${sides.candidate}, ${seenWords(reference)} from ${sides.reference}`;
}

function seenWords({ kind, text }: JsonDifference["candidate"]): string {
  if (kind === "absent") return "nothing";
  return kind === "array" || kind === "object" ? `an ${kind} of ${text}` : text;
}

type Difference = Extract<Fault, { kind: "otherwise" }>["difference"];

function describeDifference(difference: Difference): string {
  switch (difference.what) {
    case "not-measured":
      return "the base branch's configuration measures it, this run did not";
    case "workload":
      return `it was measured with another definition than the base branch's (${difference.settings.join(", ")})`;
    case "error-budget":
      return `${difference.slices} measurements count although more requests failed in them than the base branch allows`;
    case "compare":
      return `the run compared by ${difference.measured}, the base branch's configuration asks for ${difference.wanted}`;
    case "isolation":
      return `${difference.dependency}: both versions shared it, which the base branch's configuration does not allow`;
    case "scheme":
      return `${difference.service}: measured by the scheme ${difference.measured}, the base branch's configuration asks for ${difference.wanted}`;
  }
}

function differenceDetail({ what }: Difference): string {
  switch (what) {
    case "not-measured":
      return "If the pull request is older than the scenario, bring it up to date with its base branch.";
    case "workload":
      return "Limits were set for the old workload: change the workload in a pull request of its own.";
    case "error-budget":
      return "The error budget of the base branch's configuration applies.";
    case "isolation":
      return "What one version writes to a shared database changes what the other reads.";
    case "compare":
    case "scheme":
      return "";
  }
}
