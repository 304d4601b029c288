// Whether the measurement itself can be trusted. Finds what makes a run, or one scenario of it, `invalid`: no rule here
// looks at how the arms differ, except that only the reference's saturation counts (see `saturation`).
import type { Samples, ScenarioRound, Slice, VoidRule } from "../model/samples.ts";
import { answerFaults, answersAreHopeless, isAnswerVoid } from "./answers.ts";

/** Before this many slices a share of void ones says nothing. */
const MIN_SLICES_FOR_SHARE = 16;
/** A reference that cannot keep up in more than this share of rounds has no steady state to compare with. */
const MAX_SATURATED_SHARE = 0.2;
/** One may have met a moment in which the host stood still: what cannot be served queues in every round. */
const LEAST_SATURATED_ROUNDS = 2;

export interface MeasurementFault {
  /** The scenario it spoils; null: the whole run. */
  scenario: string | null;
  kind: "failure" | "void" | "errors" | "saturated" | "missing";
  /** One line: what, where, what was expected. */
  text: string;
  /** What the service or the tool said. */
  detail: string;
  /** The void rule met most often, where void slices are what is wrong. */
  rule: VoidRule | null;
}

export function findFaults(samples: Samples): MeasurementFault[] {
  return [
    ...failures(samples),
    ...samples.config.scenarios.flatMap(({ id }) => ofScenario(samples, id)),
  ];
}

/** A service that crashed or never answered measured nothing, in any round: no number of good rounds makes up for it. */
function failures(samples: Samples): MeasurementFault[] {
  return samples.rounds.flatMap(({ failure }) =>
    failure === null
      ? []
      : [
          {
            scenario: null,
            kind: "failure" as const,
            text: failure.text,
            detail: failure.detail,
            rule: null,
          },
        ],
  );
}

function ofScenario(samples: Samples, id: string): MeasurementFault[] {
  const rounds = samples.rounds.flatMap((round) =>
    round.scenarios.filter(({ scenario }) => scenario === id),
  );
  const slices = rounds.flatMap((round) => round.slices);
  const faults: MeasurementFault[] = answerFaults(samples, id).map((fault) => ({
    scenario: id,
    kind: "errors",
    detail:
      "Such slices are measured again, so what is left is of the times when all went well: it stands for nothing.",
    ...fault,
  }));
  // A service's wrong answers are a matter of their own: this share is the host's.
  const disturbed = slices.filter((slice) => slice.void !== null && !isAnswerVoid(slice));
  const share = slices.length === 0 ? 0 : disturbed.length / slices.length;
  if (slices.length >= MIN_SLICES_FOR_SHARE && share > samples.config.policy.maxVoidShare) {
    const { rule, text } = describeVoids(disturbed, slices.length);
    faults.push({
      scenario: id,
      kind: "void",
      text: `${id}: ${text}`,
      detail: `At most ${Math.round(samples.config.policy.maxVoidShare * 100)} % may be void.`,
      rule,
    });
  }

  const saturated = rounds.filter(
    ({ arms }) => (arms.reference ?? arms.candidate).saturated,
  ).length;
  if (saturated >= LEAST_SATURATED_ROUNDS && saturated / rounds.length > MAX_SATURATED_SHARE) {
    const arm = samples.run.compare === "stored" ? "the candidate" : "the reference";
    faults.push({
      scenario: id,
      kind: "saturated",
      text: `${id}: the rate is beyond what ${arm} can serve: requests queued for a free connection in ${saturated} of ${rounds.length} rounds`,
      detail:
        "Above capacity latency grows with the length of the run and is no property of the code. A rate at 50 to 60 % of capacity compares best.",
      rule: null,
    });
  }

  if (samples.run.state !== "running" && !rounds.some(isCounted) && faults.length === 0) {
    const voided = slices.filter((slice) => slice.void !== null);
    const cause = voided.length === 0 ? null : describeVoids(voided, slices.length);
    faults.push({
      scenario: id,
      kind: "missing",
      text: `${id}: no round was measured${cause === null ? "" : `: ${cause.text}`}`,
      detail: samples.run.ended,
      rule: cause?.rule ?? null,
    });
  }
  return faults;
}

function isCounted({ arms }: ScenarioRound): boolean {
  return arms.candidate.pooled !== null && arms.reference?.pooled !== null;
}

/** How many of `all`, and by which rule most of them, with its last example. */
function describeVoids(
  voided: readonly Slice[],
  all: number,
): { rule: VoidRule | null; text: string } {
  const rule = mostFrequent(voided.flatMap((slice) => slice.void?.rule ?? []));
  const example = voided.findLast((slice) => slice.void?.rule === rule)?.void?.detail ?? "";
  return {
    rule,
    text: `${voided.length} of ${all} slices are void, mostly by rule ${rule}: ${example}`,
  };
}

function mostFrequent<T>(items: readonly T[]): T | null {
  const counts = new Map<T, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  let best: T | null = null;
  for (const [item, n] of counts) {
    if (best === null || n > (counts.get(best) ?? 0)) best = item;
  }
  return best;
}

/** Rounds after which what a scenario has too much of is taken to go on. */
const ROUNDS_FOR_HOPE = 4;

/** Whether measuring on could still end in anything but `invalid`. */
export function isHopeless(samples: Samples): boolean {
  return findFaults(samples).some(({ scenario, kind }) => {
    if (scenario === null) return true;
    if (kind === "missing" || roundsOf(samples, scenario) < ROUNDS_FOR_HOPE) return false;
    // A few wrong answers may yet become few enough among more slices.
    return kind !== "errors" || answersAreHopeless(samples, scenario);
  });
}

function roundsOf(samples: Samples, scenario: string): number {
  return samples.rounds.filter((round) =>
    round.scenarios.some((entry) => entry.scenario === scenario),
  ).length;
}
