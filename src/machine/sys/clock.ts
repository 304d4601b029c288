// The only room that reads time. Durations come from the monotonic clock, dates from the wall
// clock.
import { setTimeout as delay } from "node:timers/promises";

export interface Clock {
  /** Monotonic milliseconds with an arbitrary origin; of the system's: that of CLOCK_MONOTONIC. */
  nowMs(): number;
  /** ISO 8601, UTC. */
  wallTime(): string;
  /** Resolves after `ms`, or at once when aborted; never rejects. */
  sleep(ms: number, abort?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Number(process.hrtime.bigint()) / 1e6,
  wallTime: () => new Date().toISOString(),
  sleep: async (ms, abort) => {
    try {
      await delay(ms, undefined, { signal: abort });
    } catch {
      // Aborted: the caller looks at its signal.
    }
  },
};
