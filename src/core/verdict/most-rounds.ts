// How many rounds of a service are looked at, whatever time there is.
import type { Samples } from "../model/samples.ts";
import { STORED_LOOKS } from "./decide-stored.ts";

/** What 150 rounds leave open differs from its limit by too little for any time budget. */
export const MOST_ROUNDS = 150;

/** Stored values are compared at a few numbers of launches only. A shard has its part of them. */
export function mostRoundsOf({
  compare,
  shard,
}: Pick<Samples["run"], "compare" | "shard">): number {
  const most = compare === "stored" ? (STORED_LOOKS.at(-1) ?? 0) : MOST_ROUNDS;
  return Math.ceil(most / (shard?.parts ?? 1));
}
