// What a run tells while it runs. The application says what happens; how it is shown is the
// caller's matter.
import { screenLine } from "../core/text/screen.ts";
import type { Clock } from "../machine/sys/clock.ts";

export interface Progress {
  /** A stage begins: `build`, `measure`, … Later lines belong to it. */
  stage(name: string): void;
  /** Something happened that stays true. */
  note(line: string): void;
  /** What is going on at this moment; replaced by the next. */
  status(line: string): void;
  /** No line holds this value; whoever keeps the log hides it, should another program print it. */
  secret(value: string): void;
}

export const silentProgress: Progress = { stage() {}, note() {}, status() {}, secret() {} };

/** Between two status lines, so that the log of an hour stays readable. */
const STATUS_EVERY_MS = 15_000;

export interface LineProgress extends Progress {
  /** Closes the last group: what follows is shown unfolded. */
  end(): void;
}

/** A log whose lines can be folded. */
interface Log {
  log(line: string): void;
  startGroup(name: string): void;
  endGroup(): void;
  hide(value: string): void;
}

/** A folded group for each stage, a status now and then. */
export function createLogProgress(log: Log, clock: Pick<Clock, "nowMs">): LineProgress {
  let isOpen = false;
  let lastStatusMs = Number.NEGATIVE_INFINITY;
  const end = (): void => {
    if (isOpen) log.endGroup();
    isOpen = false;
  };
  return {
    end,
    stage(name) {
      end();
      log.startGroup(name);
      isOpen = true;
    },
    note: (line) => log.log(line),
    // As other programs would print it, and as we would.
    secret(value) {
      for (const form of new Set([value, screenLine(value)])) log.hide(form);
    },
    status(line) {
      const now = clock.nowMs();
      if (now - lastStatusMs < STATUS_EVERY_MS) return;
      lastStatusMs = now;
      log.log(line);
    },
  };
}
