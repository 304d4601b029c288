// A judgement in words: plain text without markup, which each medium escapes and lays out itself.

import { METRIC_FACTS, subjectOf } from "../../model/metric.ts";
import type { Report } from "../../model/report.ts";
import type { OneArm, Samples, Unchanged } from "../../model/samples.ts";
import type {
  Comparison,
  ComparisonState,
  JudgedComparison,
  Judgement,
  Verdict,
  VerdictState,
} from "../../model/verdict.ts";
import { formatEstimate, formatPair } from "../../text/format.ts";
import { assembleReport } from "../../verdict/assemble-report.ts";
import { passesItself } from "../../verdict/waiver.ts";
import { describeAdvice } from "./advice.ts";
import { CAUTION_KINDS, describeCaution, describeOutcome } from "./cautions.ts";
import { describeFault, END_WORDS, faultDetail, faultText } from "./faults.ts";
import { describeChange, describeFinding } from "./findings.ts";
import { fullName, listed, metricName } from "./names.ts";
import { decidingOf, STATE_FACTS } from "./states.ts";

export function describeVerdict(judgement: Judgement): Verdict {
  const { state, causes, advice, cautions } = judgement;
  const byId = new Map(
    [...judgement.comparisons, ...judgement.stored].map((one) => [one.id, one] as const),
  );
  const summary = summarize(judgement);
  // Who else used the machine is said once.
  const isNamed = advice.some(({ code }) => code === "stop-others");
  return {
    state,
    headline: headlineOf(state, summary),
    summary,
    reasons: causes.map(({ comparison, finding }) => {
      const one = comparison === null ? undefined : byId.get(comparison);
      if (one !== undefined) return describeFinding(one);
      return finding.code === "fault" ? describeFault(finding.fault) : "";
    }),
    causes,
    next: advice.map((one) => describeAdvice(one, byId)),
    advice,
    comparisons: judgement.comparisons.map(withReason),
    ...(judgement.unchanged.length === 0 ? {} : { unchanged: [...judgement.unchanged] }),
    ...(describeOneArm(judgement.oneArm) === "" ? {} : { oneArm: judgement.oneArm }),
    stored: judgement.stored.map(withReason),
    warnings: cautions.map((caution) => ({
      kind: CAUTION_KINDS[caution.code],
      text: describeCaution(
        "culprits" in caution && isNamed ? { ...caution, culprits: [] } : caution,
        byId,
      ),
      caution,
    })),
    waivers: judgement.waivers.map((one) => ({ ...one, text: describeOutcome(one, byId) })),
  };
}

function withReason(comparison: JudgedComparison): Comparison {
  return { ...comparison, reason: describeFinding(comparison) };
}

/** The summary as a line that stands alone. */
export function headlineOf(state: VerdictState, summary: string): string {
  // It says of a pass that it is one.
  if (state === "pass") return summary;
  const word = state === "invalid" ? "invalid measurement" : STATE_FACTS[state].word.toLowerCase();
  return `${word}: ${summary}`;
}

/** What of a run there was nothing to measure of; empty: nothing. */
export function describeUnchanged(unchanged: readonly Unchanged[] = []): string {
  if (unchanged.length === 0) return "";
  return `${listed(unchanged.map(({ service }) => service))} unchanged: the same build before and after`;
}

/** `new: api/search; gone: dependency db`, what only one arm has; empty: nothing. */
export function describeOneArm(oneArm: Partial<OneArm> = {}): string {
  const named = (id: string): string => (isScenario(id) ? id : `dependency ${id}`);
  const told = Object.entries(oneArm).filter(([, ids]) => ids.length > 0);
  return told.map(([which, ids]) => `${which}: ${listed(ids.map(named))}`).join("; ");
}

const isScenario = (id: string): boolean => id.includes("/");

/** Who reads no more than this line must know what a pass does not speak of. */
function summarize(judgement: Judgement): string {
  const { state, oneArm, comparisons } = judgement;
  const beside = state === "pass" || state === "improved" ? describeOneArm(oneArm) : "";
  const left = state === "no-baseline" ? "" : describeUncompared(comparisons);
  return [summarizeState(judgement), left, beside].filter((part) => part !== "").join("; ");
}

/** What has nothing stored to be compared with, and what has it of another machine; empty: nothing. */
function describeUncompared(comparisons: readonly JudgedComparison[]): string {
  const isLeft = ({ state }: JudgedComparison): boolean => state === "no-baseline";
  const left = decidingOf(comparisons).filter(isLeft);
  const others = new Set(comparisons.flatMap((one) => (isLeft(one) ? [] : (one.machine ?? []))));
  return [
    ...(left.length === 0 ? [] : [`without a comparable baseline: ${listed(left.map(fullName))}`]),
    ...[...others].map((other) => `memory is compared with the baseline of ${other}`),
  ].join("; ");
}

function summarizeState({ state, comparisons, causes, unchanged, oneArm }: Judgement): string {
  const deciding = decidingOf(comparisons);
  // Wrong answers have no margin.
  const compared = deciding.filter(
    (one) => one.state !== "no-baseline" && one.answers === undefined,
  );
  const told = (wanted: ComparisonState): string => {
    const some = deciding.filter(({ state: own }) => own === wanted);
    // A service and a scenario of it may have the same slow answers.
    return listed([...new Set(some.map(describeChange))], "; ");
  };
  switch (state) {
    case "pass": {
      const fresh = oneArm.new.filter(isScenario).length;
      if (deciding.length > 0 && deciding.every(({ answers }) => answers !== undefined))
        return "no regression: no larger share of answers is proven to be wrong";
      const limits = deciding.filter(({ against }) => against === "limit").length;
      const isHeld = limits > 0 && deciding.every((one) => one.state === "pass");
      if (deciding.length === limits && fresh > 0 && (isHeld || limits === 0))
        return `nothing to compare yet: ${fresh} new scenario${fresh === 1 ? "" : "s"}${isHeld ? `, and ${limits} limit${limits === 1 ? "" : "s"} kept` : ""}`;
      if (deciding.length === 0) return `nothing to measure: ${describeUnchanged(unchanged)}`;
      const rest = compared.filter((one) => one.state !== "waived").length;
      const count = deciding.filter((one) => one.state === "worse-within").length;
      const worse = count === 0 ? "" : `, though ${count} got worse: ${told("worse-within")}`;
      if (rest === compared.length) {
        return `no regression: ${rest === 1 ? "the gated metric" : `each of ${rest} gated metrics`} is shown to be within its limit${worse}`;
      }
      const beside =
        rest === 0 ? "" : `; all else that is gated (${rest}) is within its limit${worse}`;
      return `no regression beyond what is waived: ${told("waived")}${beside}`;
    }
    case "improved":
      return `${told("improved")}; nothing is worse`;
    case "regressed":
      return told("regressed") + besideRegressed(causes);
    case "inconclusive":
      return describeOpen(deciding);
    case "no-baseline":
      return `nothing to compare with: ${listed(deciding.filter((one) => one.state === state).map(fullName))}`;
    case "invalid": {
      const finding = causes[0]?.finding;
      const fault = finding?.code === "fault" ? faultText(finding.fault) : "see the reasons";
      return fault + besideInvalid(compared);
    }
  }
}

function besideRegressed(causes: Judgement["causes"]): string {
  const failed = new Set(
    causes.flatMap(({ finding }) =>
      finding.code === "fault" ? (finding.fault.scenario ?? []) : [],
    ),
  );
  return failed.size === 0 ? "" : `; could not be judged: ${listed([...failed])}`;
}

/** Of a pass: the most that each gated metric changed. Empty: there is nothing to say. */
export function describeWorst({ state, comparisons }: Verdict): string {
  if (state !== "pass" && state !== "improved") return "";
  const compared = decidingOf(comparisons).filter(
    ({ estimate, reference, against }) =>
      estimate !== null && reference !== null && against !== "limit",
  );
  const told = [...Map.groupBy(compared, metricName).values()].map((all) => {
    const one = all.reduce((a, b) => ((b.estimate ?? 0) > (a.estimate ?? 0) ? b : a));
    const values = formatPair(METRIC_FACTS[one.metric].unit, one.reference, one.candidate);
    return `${metricName(one)} of ${subjectOf(one)} ${values} (${formatEstimate(one)})`;
  });
  return told.length === 0 ? "" : `At worst: ${told.join("; ")}.`;
}

/** How many other metrics passed; empty: none. */
function besideInvalid(deciding: readonly JudgedComparison[]): string {
  const others = deciding.filter(({ state }) => state !== "invalid");
  const passed = others.filter(passesItself).length;
  if (passed === 0) return "";
  if (passed === others.length) {
    return passed === 1
      ? "; the other gated metric is within its limit"
      : `; the other ${passed} gated metrics are within their limits`;
  }
  return `; of ${others.length} other gated metrics ${passed} ${passed === 1 ? "is" : "are"} shown to be within the limit`;
}

/** What is likely worse comes first, with how much. */
function describeOpen(deciding: readonly JudgedComparison[]): string {
  const open = deciding.filter(({ state }) => state === "inconclusive");
  if (open.length === 0) return "no metric is gated, so nothing was shown";
  const likely = open.filter(({ finding }) => finding.code === "likely-worse");
  const rest = open.filter((one) => !likely.includes(one));
  return [
    ...(likely.length > 0
      ? [`likely worse, not proven: ${listed(likely.map(describeChange), "; ")}`]
      : []),
    ...(rest.length > 0
      ? [
          `no answer yet on ${rest.length} of ${deciding.length} questions: ${listed(rest.map(fullName))}`,
        ]
      : []),
  ].join("; ");
}

const TOLD: ReadonlySet<string> = new Set(["worse-within", "open", "likely-worse"]);

/** The reasons that the summary has not said in full. */
export function reasonsBeyondSummary({
  causes,
  reasons,
}: Pick<Verdict, "causes" | "reasons">): string[] {
  return reasons.filter((_, i) => {
    const finding = causes[i]?.finding;
    // The summary names it, its row has the numbers, and the advice says what helps.
    if (finding !== undefined && TOLD.has(finding.code)) return false;
    return i > 0 || finding?.code !== "fault" || faultDetail(finding.fault) !== "";
  });
}

export function describeRun(samples: Samples, judgement: Judgement): Report {
  const facts = assembleReport(samples);
  const { ended } = samples.run;
  const [fault] = judgement.faults;
  const run = {
    ...facts.run,
    ended: ended === "failed" && fault !== undefined ? faultText(fault) : END_WORDS[ended],
  };
  return { ...facts, run, verdict: describeVerdict(judgement) };
}
