// What tests ask of processes that they started.
import { readFileSync } from "node:fs";

/** Neither gone nor a zombie that nobody reaps. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

/** Whether it came true in time. */
export async function until(what: () => boolean, timeoutMs = 5000): Promise<boolean> {
  for (let waited = 0; waited < timeoutMs; waited += 10) {
    if (what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return what();
}
