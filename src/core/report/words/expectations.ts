// What a calibration of the runner lets expect of a run.
import type { Config } from "../../model/config.ts";
import type { Expectation, RunnerFacts } from "../../model/profile.ts";
import { formatDuration, formatFraction } from "../../text/format.ts";
import { gatedOf, listHypotheses } from "../../verdict/hypotheses.ts";
import { fullName } from "./names.ts";

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

/**
 * For `plan`: what each gated metric takes when nothing changed, and what cannot be shown. `nameOf`:
 * a hypothesis, by its id.
 */
export function describeExpectations(
  runner: RunnerFacts | null,
  nameOf: (id: string) => string,
): string[] {
  if (runner === null) {
    return [
      "",
      "This class of runner is not calibrated: tailgate calibrate measures what it can show",
    ];
  }
  const when = `Calibrated ${runner.calibratedAt.slice(0, 10)} over ${runner.rounds} rounds`;
  if (runner.unusable !== null)
    return ["", `${when}, which does not count here: ${runner.unusable}`];
  const width = Math.max(...runner.expectations.map(({ id }) => nameOf(id).length));
  const gate =
    runner.gateMs === null ? "" : `; when nothing changed about ${formatDuration(runner.gateMs)}`;
  return [
    "",
    `${when}${gate}`,
    ...runner.expectations.map(
      (expected) => `  ${nameOf(expected.id).padEnd(width)}  ${describeExpectation(expected)}`,
    ),
  ];
}

function describeExpectation({ sd, rounds, passMs, margin, kept }: Expectation): string {
  const noise = `sd ${sd.toFixed(3)}`;
  if (!kept) {
    const instead = margin === null ? "" : `; it can show ${formatFraction(margin)}`;
    return `${noise}, closer than this runner can show: expect inconclusive${instead}`;
  }
  if (rounds === null || passMs === null) return `${noise}, within what this runner can show`;
  return `${noise}, passes after ${rounds} rounds (${formatDuration(passMs)} of its service)`;
}
