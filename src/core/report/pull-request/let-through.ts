// Whether a run without an answer may be let through: not while an estimate exceeds its margin.
import type { Verdict } from "../../model/verdict.ts";
import { formatEstimate, formatFraction } from "../../text/format.ts";
import { farthestBeyondMargin } from "../../verdict/beyond-margin.ts";
import { fullName } from "../words/names.ts";

export function whyNotLetThrough({ comparisons }: Pick<Verdict, "comparisons">): string | null {
  const worst = farthestBeyondMargin(comparisons);
  return worst === null
    ? null
    : `${fullName(worst)} is estimated at ${formatEstimate(worst)}, beyond its margin of +${formatFraction(worst.margin)}: inconclusive: pass does not let that through`;
}
