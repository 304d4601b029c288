// Why a comparison has its state.
import { METRIC_FACTS, subjectOf } from "../../model/metric.ts";
import { mostFirst } from "../../model/parts.ts";
import type { JudgedComparison, SlowCount } from "../../model/verdict.ts";
import {
  formatChange,
  formatCount,
  formatDuration,
  formatEstimate,
  formatFraction,
  formatInterval,
  formatLimit,
  formatPair,
  formatValue,
} from "../../text/format.ts";
import { faultText } from "./faults.ts";
import { fullName, heldText, metricName } from "./names.ts";

/** A fraction as a change: `+5.0 %`. */
export function asChange(fraction: number): string {
  return formatChange(Math.log1p(fraction));
}

export function describeFinding(comparison: JudgedComparison): string {
  const { finding, estimate, margin, tolerance, against } = comparison;
  const name = fullName(comparison);
  const isStored = against === "stored";
  const isLimit = against === "limit";
  const { low = null, high = null } = comparison.interval ?? {};
  // Unbounded intervals say nothing.
  const interval = low === null && high === null ? "" : ` ${formatInterval(comparison)}`;
  const told = describeSlow(comparison);
  const thing = told === null ? name : `${told}; ${name}`;
  const whose = comparison.machine === undefined ? "" : ` of ${comparison.machine}`;
  const change = isLimit
    ? `${heldText(comparison, formatChange)}, ${formatEstimate(comparison)}${interval}`
    : `${thing} is ${formatEstimate(comparison)}${interval}${isStored ? ` against the stored baseline${whose}` : ""}`;
  const after = (rounds: number): string => `after ${rounds} ${rounds === 1 ? "round" : "rounds"}`;
  // Against values of another day the machine's drift is part of every answer.
  const answer = (what: string): string =>
    isStored
      ? `${change}: ${what}, a drift of ${formatChange(comparison.drift ?? null)} allowed for`
      : `${change}${"rounds" in finding ? ` ${after(finding.rounds)}` : ""}: ${what}`;
  const wrong = describeWrong(comparison);
  if (wrong !== null && "rounds" in finding)
    return `${wrong}: ${SHARES[finding.code]} ${after(finding.rounds)}`;
  const held = isLimit ? HELD[finding.code] : undefined;
  if (held !== undefined && "rounds" in finding)
    return answer(held + ("more" in finding ? moreRounds(finding) : ""));
  switch (finding.code) {
    case "fault":
      return faultText(finding.fault);
    case "worse":
      return answer(
        `more than ${asChange(tolerance)} worse is proven${describeGrowth(comparison)}`,
      );
    case "within":
      return answer(`shown to be less than ${asChange(margin)} worse`);
    case "worse-within":
      return answer(
        `worse by more than the tolerated ${asChange(tolerance)}, and shown to be less than ${asChange(margin)} worse, so it passes`,
      );
    case "better":
      return answer("proven better");
    case "better-at-other-work":
      return answer(
        "better, which is no improvement: the builds' answers differ, so they did other work",
      );
    case "open":
      return answer(
        `neither a regression nor less than ${asChange(margin)} worse is proven${moreRounds(finding)}`,
      );
    case "likely-worse":
      return answer(
        `likely worse${(estimate ?? 0) > Math.log1p(margin) ? ` than its margin of ${asChange(margin)}` : ""}, not proven yet${moreRounds(finding)}`,
      );
    case "waiver":
      return answer(describeWaived(comparison, finding.expires));
    case "zero":
      return `${name} is 0 in ${finding.zeros} of ${finding.zeros + finding.rounds} rounds, where it has no ratio; the other rounds alone would be a selection`;
    case "unmeasured":
      return `${name}: no round was measured`;
    case "new":
      return `${name} is new: there is nothing to compare ${comparison.against === "stored" ? "in the stored baseline yet" : "yet"}`;
    case "no-baseline":
      return `${name}: there is no baseline of ${comparison.service} for runner class ${finding.runnerClass}`;
    case "no-stored-value":
      return `${name}: the baseline does not have ${finding.key}`;
    case "incomparable":
      return `${name}: ${finding.difference}`;
    case "no-drift": {
      const young = describeYoung(finding);
      return finding.rounds === 0
        ? `${name}: ${young}`
        : `${change}; ${young}, so this is context only`;
    }
  }
}

/**
 * `p99 of api/echo is 14.0 % slower: 292 → 333 µs, limit +5 %`. A slow answer is told by its count and
 * size: the mean of many says neither.
 */
export function describeChange(comparison: JudgedComparison): string {
  const { metric, estimate, clipped, reference, candidate, state, against } = comparison;
  if (against === "limit") return heldText(comparison);
  const counted = describeWrong(comparison) ?? describeSlow(comparison);
  if (counted !== null || estimate === null) return counted ?? fullName(comparison);
  const { unit, quantile } = METRIC_FACTS[metric];
  const [more, less] =
    quantile !== null || metric === "startup" ? ["slower", "faster"] : ["higher", "lower"];
  const size = formatChange(estimate).replace(/^[+−]/, "");
  const limit = state === "improved" ? "" : `, limit ${formatLimit(comparison)}`;
  const values = reference === null ? "" : `: ${formatPair(unit, reference, candidate)}`;
  return `${metricName(comparison)} of ${subjectOf(comparison)} is ${clipped ? "at least " : ""}${size} ${estimate < 0 ? less : more}${values}${limit}`;
}

/** `api/echo: 12 of 24,000 answers were wrong (0.05 %: 12 × 500); none of 24,000 before` */
function describeWrong({ scenario, answers }: JudgedComparison): string | null {
  if (answers === undefined) return null;
  const [now, before] = [answers.candidate, answers.reference].map(
    ({ wrong, of }) => `${wrong === 0 ? "none" : formatCount(wrong)} of ${formatCount(of)}`,
  );
  const { wrong, of, kinds } = answers.candidate;
  const told = mostFirst(kinds).map(([what, times]) => `${formatCount(times)} × ${what}`);
  const share = wrong === 0 ? "" : ` (${formatFraction(wrong / of)}: ${told.join(", ")})`;
  return `${scenario}: ${now} answers ${wrong > 1 ? "were" : "was"} wrong${share}; ${before} before`;
}

/** Of wrong answers. */
const SHARES: Partial<Record<JudgedComparison["finding"]["code"], string>> = {
  worse: "a larger share than before is proven",
  "likely-worse": "likely a larger share than before, not proven",
  within: "a larger share than before is not proven",
};

/** `api/echo: about 1 in 190 requests took 20.1 ms or more (none before)`; null: not known. */
function describeSlow({ slowAnswers, state }: JudgedComparison): string | null {
  if (slowAnswers === undefined) return null;
  const { scenario, us, typicalUs, windowMs, candidate, reference } = slowAnswers;
  const { slow, windows, oneIn } = candidate;
  const isOften = oneIn === undefined && 2 * slow > windows;
  const some = isOften ? "most windows" : slowShare(candidate);
  const found = oneIn === undefined ? `in ${some} of ${formatDuration(windowMs)} an answer` : some;
  const isLonger = state === "regressed" && !isOften && typicalUs > 1.1 * us;
  const beside = [
    ...(isOften ? [slowShare(candidate)] : []),
    ...(isLonger ? [`typically ${formatValue("us", typicalUs)}`] : []),
    `${slowShare(reference)} before`,
  ];
  return `${scenario}: ${slow === 0 ? "no answer" : found} took ${formatValue("us", us)} or more (${beside.join("; ")})`;
}

function slowShare({ slow, windows, oneIn }: SlowCount): string {
  if (slow === 0) return "none";
  if (oneIn === undefined) return `${formatCount(slow)} of ${formatCount(windows)} windows`;
  return `about 1 in ${formatCount(Number(oneIn.toPrecision(2)))} requests`;
}

/** Of a limit. */
const HELD: Partial<Record<JudgedComparison["finding"]["code"], string>> = {
  worse: "more than its limit is proven",
  within: "shown to be less than its limit",
  open: "neither more nor less than its limit is proven",
  "likely-worse": "likely more than its limit, not proven yet",
};

/** What is missing to know the machine's drift, and when it will be there. */
function describeYoung({ nights, needed, ready }: Finding<"no-drift">): string {
  if (nights >= needed) {
    return "the history has no night of the last week, so this machine's present drift is not known";
  }
  const when =
    ready === null
      ? "no nightly run records any at present"
      : `the night of ${ready} is the last of them`;
  return `this machine's drift is not known yet: the history has ${nights} of ${needed} nights, and ${when}`;
}

type Finding<C> = Extract<JudgedComparison["finding"], { code: C }>;

/** Where more memory comes from; empty: it is not known. */
function describeGrowth({ growth }: JudgedComparison): string {
  if (growth === undefined) return "";
  const { kind, bytes, bytesPerRequest, requests } = growth;
  const more = formatValue("bytes", bytes);
  return kind === "leak"
    ? `; it grows by about ${formatValue("bytes", bytesPerRequest)} a request more than the reference (over ${formatCount(requests)} requests): a leak, or a cache that still fills`
    : `; most of the ${more} are there before the load and do not grow with it: no leak`;
}

function moreRounds({ more }: { more?: number | undefined }): string {
  if (more === undefined) return "";
  return more === 1
    ? "; at least 1 more round is needed"
    : `; at least ${more} more rounds are needed`;
}

function describeWaived({ state, waiver, against }: JudgedComparison, expires: string): string {
  const what = against === "limit" ? "an excess" : "a regression";
  const limit = `the ${asChange(waiver?.upTo ?? 0)} that is waived until ${expires}`;
  if (state === "regressed") return `${what} is proven, and that it is more than ${limit}`;
  if (state !== "waived") return `${what} is proven; that it is less than ${limit} is not shown`;
  return waiver?.regressionProven === true
    ? `${what} is proven, and shown to be less than ${limit}`
    : `${what} is not proven, and shown to be less than ${limit}`;
}
