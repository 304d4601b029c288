// What a run tells, as lines of the job's log: a folded group for each stage, a status now and
// then.
import type { Progress } from "../../app/progress.ts";
import type { Clock } from "../../machine/sys/clock.ts";
import type { Runner } from "./runner.ts";

/** Between two status lines, so that the log of an hour stays readable. */
const STATUS_EVERY_MS = 15_000;

interface RunnerProgress extends Progress {
  /** Closes the last group: what follows is shown unfolded. */
  end(): void;
}

export function createRunnerProgress(
  runner: Pick<Runner, "log" | "startGroup" | "endGroup" | "hide">,
  clock: Pick<Clock, "nowMs">,
): RunnerProgress {
  let isOpen = false;
  let lastStatusMs = Number.NEGATIVE_INFINITY;
  const end = (): void => {
    if (isOpen) runner.endGroup();
    isOpen = false;
  };
  return {
    end,
    stage(name) {
      end();
      runner.startGroup(name);
      isOpen = true;
    },
    note: (line) => runner.log(line),
    secret: (value) => runner.hide(value),
    status(line) {
      const now = clock.nowMs();
      if (now - lastStatusMs < STATUS_EVERY_MS) return;
      lastStatusMs = now;
      runner.log(line);
    },
  };
}
