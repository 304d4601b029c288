// What happens to the time of scenarios that are decided: those that are left get it, since noise between slices, not
// between launches, is most of what a round's ratio is uncertain by.
import type { Scenario } from "../model/config.ts";

/** Beyond twice the pairs a round grows long, and rounds are what a verdict counts. */
const MOST = 2;

/**
 * The scenarios of a service that are left, each with as many more pairs as the others' time allows, up to twice its own.
 * `all` are those of the service, `left` some of them, none of them twice.
 *
 * The pairs of later rounds so depend on earlier ones. That leaves every test exact: given all before it, a round's log ratio is
 * as symmetric about the true one as with fewer pairs, and sign and rank tests ask no more (equal spread they do not ask).
 */
export function shareFreedTime(all: readonly Scenario[], left: readonly Scenario[]): Scenario[] {
  const factor = Math.min(MOST, loadMs(all) / loadMs(left));
  return left.map((scenario) => ({
    ...scenario,
    slice: { ...scenario.slice, pairs: Math.floor(scenario.slice.pairs * factor) },
  }));
}

function loadMs(scenarios: readonly Scenario[]): number {
  return scenarios.reduce((sum, { slice }) => sum + slice.pairs * slice.durationMs, 0);
}
