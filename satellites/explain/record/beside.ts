// Programs beside the service, and waiting: all of it ends by a signal.
import { addAbortListener } from "node:events";
import { readFileSync } from "node:fs";
import { throwIfStopped } from "../../../src/core/base/errors.ts";
import type { ExplainKernel, ProgramBeside } from "../../../src/core/model/kernels.ts";

/** Exit code where there is no program of the name. */
export const NOT_FOUND = 127;

export interface Ended {
  code: number | null;
  /** The last lines printed. */
  said: string;
}

/** When it has ended, by itself, by a signal to us, or because it was late. */
export async function endOf(
  program: ProgramBeside,
  { abort }: Pick<ExplainKernel, "abort">,
  timeoutMs: number,
): Promise<Ended> {
  const over = AbortSignal.any([abort, AbortSignal.timeout(timeoutMs)]);
  using _stopping = addAbortListener(over, () => program.signal("SIGKILL"));
  const { code } = await program.exited;
  return { code, said: program.tail().join("\n") };
}

/** Whether it came true in time, and while the program ran, where it is of one. */
export async function waitFor(
  isTrue: () => boolean,
  program: ProgramBeside | null,
  { nowMs, sleep, abort }: Pick<ExplainKernel, "nowMs" | "sleep" | "abort">,
  timeoutMs: number,
): Promise<boolean> {
  const deadlineMs = nowMs() + timeoutMs;
  while (nowMs() < deadlineMs && (program?.exit() ?? null) === null) {
    if (isTrue()) return true;
    throwIfStopped(abort);
    await sleep(1);
  }
  return false;
}

/** For what may not be there, not be ours to read, or go away meanwhile, as a process does. */
export function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}

export const readOrEmpty = (path: string): string => orNull(() => readFileSync(path, "utf8")) ?? "";
