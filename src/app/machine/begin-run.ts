// How a run begins, whatever it compares: its identity.
import type { Samples } from "../../core/model/samples.ts";

/**
 * Of a run that has measured nothing yet. Without a seed a fresh one is drawn; it is shown, and can
 * be given.
 */
export function beginRun(
  startedAt: string,
  wanted: number | null,
): Omit<Samples["run"], "compare"> {
  // It only has to differ from run to run.
  const seed = wanted ?? (Date.parse(startedAt) ^ (process.pid << 16)) >>> 0;
  return {
    id: `${startedAt.replaceAll(/[-:]|\.\d+/g, "")}-${seed.toString(16).padStart(8, "0")}`,
    startedAt,
    seed,
    measuredMs: 0,
    state: "running",
    ended: "running",
  };
}
