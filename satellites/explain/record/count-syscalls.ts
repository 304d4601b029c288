// System calls of one arm under strace, whose counts are exact.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import { total } from "../../../src/core/model/parts.ts";
import type { Arm } from "../../../src/core/model/samples.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import type { SyscallCounts } from "../model.ts";
import { type Ended, endOf, NOT_FOUND, readOrEmpty, waitFor } from "./beside.ts";
import { parseStrace } from "./parse-strace.ts";

/** strace makes a request several times as dear. */
const MOST_RPS = 200;
const COUNT_MS = 1000;
const WAIT_MS = 5000;

/** A text says why there are none. */
export async function countSyscalls(
  arm: Arm,
  kernel: ExplainKernel,
): Promise<SyscallCounts | string> {
  const file = join(kernel.scratch, "strace.txt");
  kernel.status(`explain: counting system calls, the ${arm}`);
  const service = await kernel.launch(arm, []);
  try {
    await service.warmUp();
    const pids = service.pids();
    const whom = pids.flatMap((pid) => ["-p", String(pid)]);
    const argv = ["strace", "-f", "-qq", "-c", "-U", "calls,name", "-o", file, ...whom];
    const strace = kernel.start(argv, { LC_ALL: "C" });
    const isTraced = (): boolean =>
      pids.every((pid) => !UNTRACED.test(readOrEmpty(`/proc/${pid}/status`)));
    if (!(await waitFor(isTraced, strace, kernel, WAIT_MS)))
      return whyRefused(await endOf(strace, kernel, 0));
    const { slice } = await service.load(Math.min(kernel.rateRps, MOST_RPS), COUNT_MS);
    strace.signal("SIGINT");
    await endOf(strace, kernel, WAIT_MS);
    if (slice.void !== null) return `system calls are not counted: ${slice.void.detail}`;
    const calls = parseStrace(readFileSync(file, "utf8"));
    return { requests: total(slice.statuses), calls };
  } finally {
    await service.stop();
    rmSync(file, { force: true });
  }
}

const UNTRACED = /^TracerPid:\s+0$/m;

function whyRefused({ code, said }: Ended): string {
  if (code === NOT_FOUND) return "system calls are not counted: strace is not installed";
  const words = plainLine(said) || "strace ended at once";
  return `system calls are not counted: ${words}; sudo sysctl kernel.yama.ptrace_scope=0 may permit it`;
}
