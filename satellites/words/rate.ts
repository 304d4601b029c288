import { formatValue, NOTHING } from "../../src/core/text/format.ts";

/** `1,240/s`. */
export function formatRate(rateRps: number | null): string {
  return rateRps === null ? NOTHING : `${formatValue("count", rateRps)}/s`;
}
