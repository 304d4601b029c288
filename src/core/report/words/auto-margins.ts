// Margins that the runner's profile set.
import type { Config } from "../../model/config.ts";
import { formatFraction } from "../../text/format.ts";
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
