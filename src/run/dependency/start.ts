// What every kind of dependency is started with.
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
