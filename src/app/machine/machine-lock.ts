// The machine's lock about whatever loads it: measuring, and building or installing for it.
import { throwIfStopped } from "../../core/base/errors.ts";
import { acquireLock } from "../../machine/host/lock.ts";
import { assertPrograms, type Program } from "../../machine/sys/programs.ts";
import type { Environment } from "../settings.ts";

export interface LockRequest {
  /** How long to wait for another gate. */
  lockTimeoutMs: number;
  /** What the work needs on the PATH. Default: all that a run needs. */
  programs?: readonly Program[];
}

/** Does `work` alone on this machine. TAILGATE_LOCK: a lock file of a test's own, which measures nothing. */
export async function underLock<T>(
  { lockTimeoutMs, programs }: LockRequest,
  { progress, abort, env }: Environment,
  work: () => Promise<T>,
): Promise<T> {
  assertPrograms(env.PATH, programs);
  await using _lock = await acquireLock({
    timeoutMs: lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
    path: env.TAILGATE_LOCK,
  });
  throwIfStopped(abort);
  return await work();
}
