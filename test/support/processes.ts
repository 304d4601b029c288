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

/**
 * For Node: leaves a daemon in a session of its own, without an environment, prints its pid, and ends.
 * `becomes`: a shell's words, in which $0 is Node and $1 the last argument.
 */
export const leaveDaemon = (becomes = "exec sleep 1000"): string => `
const own = { detached: true, env: {}, stdio: ["ignore", "pipe", "ignore"] };
const words = [${JSON.stringify(`echo $$; ${becomes}`)}, process.execPath, process.argv.at(-1)];
const daemon = require("node:child_process").spawn("/bin/sh", ["-c", ...words], own);
daemon.stdout.once("data", (pid) => process.stdout.write(pid, () => process.exit(0)));
`;

/** Whether it came true in time. */
export async function until(what: () => boolean, timeoutMs = 5000): Promise<boolean> {
  for (let waited = 0; waited < timeoutMs; waited += 10) {
    if (what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return what();
}
