// The machine's lock about whatever loads it: measuring, and building or installing for it.
import { acquireLock } from "../../machine/host/lock.ts";
import type { Environment } from "../settings.ts";
import { stopIfAborted } from "./begin-run.ts";

export interface LockRequest {
  /** How long to wait for another gate. */
  lockTimeoutMs: number;
  /** Another lock file; for tests. */
  lockPath?: string;
}

/** Does `work` alone on this machine. */
export async function underLock<T>(
  { lockTimeoutMs, lockPath }: LockRequest,
  { progress, abort }: Environment,
  work: () => Promise<T>,
): Promise<T> {
  await using lock = await acquireLock({
    timeoutMs: lockTimeoutMs,
    abort,
    onWait: (holder) => progress.status(`waiting for another gate on this machine (${holder})`),
    ...(lockPath === undefined ? {} : { path: lockPath }),
  });
  void lock;
  stopIfAborted(abort);
  return await work();
}
