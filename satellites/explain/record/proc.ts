// What /proc tells of a service: CPU time of its threads, what they wait in, and its memory.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import { add, sum } from "../fold.ts";
import type { MappingKind, Profiled, WaitKind } from "../model.ts";
import { orNull, readOrEmpty } from "./beside.ts";
import { parseSmaps } from "./parse-smaps.ts";
import { parseSyscall } from "./parse-syscall.ts";

/** CPU ms by thread. */
type Times = ReadonlyMap<string, number>;

export function readTimes(pids: readonly number[]): Times {
  const cpuMs = (thread: string) => Number.parseInt(readOrEmpty(`${thread}/schedstat`), 10) / 1e6;
  return new Map(threadsOf(pids).map((thread) => [thread, cpuMs(thread) || 0]));
}

/** Of the threads that live; one that was not there before began at 0. */
export function cpuMsSince(before: Times, after: Times): number {
  return sum([...after].map(([thread, cpuMs]) => cpuMs - (before.get(thread) ?? 0)));
}

function threadsOf(pids: readonly number[]): string[] {
  return pids.flatMap((pid) =>
    (orNull(() => readdirSync(`/proc/${pid}/task`)) ?? []).map((tid) => `/proc/${pid}/task/${tid}`),
  );
}

export function readMappings(pids: readonly number[]): Profiled["mappings"] {
  const all = new Map<MappingKind, number>();
  for (const pid of pids) {
    const program = orNull(() => readlinkSync(`/proc/${pid}/exe`)) ?? "";
    const mappings = parseSmaps(readOrEmpty(`/proc/${pid}/smaps`), program);
    for (const [kind, bytes] of mappings) add(all, kind, bytes);
  }
  return Object.fromEntries(all);
}

/** Between two looks. */
const LOOK_MS = 5;
const LOOKS_A_LISTING = 20;
const LONGEST_LINE = 256;

/** Looks at each thread while work goes on: shares of looks, summed over threads. */
export async function waitsDuring(
  work: Promise<unknown>,
  pids: readonly number[],
  counted: readonly WaitKind[],
  { sleep, abort }: Pick<ExplainKernel, "sleep" | "abort">,
): Promise<Profiled["waits"]> {
  // Kept open: opening costs more than reading.
  const files = new Map<string, number>();
  const found = new Map<WaitKind, number>();
  const line = Buffer.alloc(LONGEST_LINE);
  let isOver = false;
  const end = (): void => {
    isOver = true;
  };
  work.then(end, end);
  let looks = 0;
  for (; !isOver && !abort.aborted; looks++) {
    for (const thread of looks % LOOKS_A_LISTING === 0 ? threadsOf(pids) : []) {
      const file = files.get(thread) ?? orNull(() => openSync(`${thread}/syscall`, "r"));
      if (file !== null) files.set(thread, file);
    }
    for (const file of files.values()) {
      // Of a thread that is gone nothing.
      const length = orNull(() => readSync(file, line, 0, LONGEST_LINE, 0)) ?? 0;
      const kind = parseSyscall(line.toString("latin1", 0, length), process.arch);
      if (kind !== null && counted.includes(kind)) add(found, kind, 1);
    }
    await sleep(LOOK_MS);
  }
  for (const file of files.values()) closeSync(file);
  return Object.fromEntries([...found].map(([kind, count]) => [kind, count / looks]));
}
