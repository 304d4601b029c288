// What every kind of dependency is started with.
import { UserError } from "../../../core/base/errors.ts";
import type { Clock } from "../../sys/clock.ts";

export interface DependencyStart {
  /** Default: any. */
  cpus?: readonly number[];
  clock: Clock;
  abort: AbortSignal;
  progress: {
    /** Something happened that stays true. */
    note(line: string): void;
    /** What is going on at this moment. */
    status(line: string): void;
  };
}

export function throwIfStopped(abort: AbortSignal): void {
  if (abort.aborted) {
    throw new UserError("stopped by a signal before anything was measured", {}, "interrupted");
  }
}

/** `1.4 s` */
export function secondsSince(startedMs: number, { clock }: DependencyStart): string {
  return `${((clock.nowMs() - startedMs) / 1000).toFixed(1)} s`;
}
