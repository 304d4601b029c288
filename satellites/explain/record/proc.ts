// What /proc tells of a service: CPU time of its threads, what they wait in, and its memory.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import { add, sum } from "../fold.ts";
import type { MappingKind, WaitKind } from "../model.ts";
import { orNull, readOrEmpty } from "./beside.ts";
import { parseSmaps } from "./parse-smaps.ts";
import { parseSyscall } from "./parse-syscall.ts";

/** CPU ms by thread. */
export type Times = ReadonlyMap<string, number>;

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

export function readMappings(pids: readonly number[]): Partial<Record<MappingKind, number>> {
  const all: Partial<Record<MappingKind, number>> = {};
  for (const pid of pids) {
    const program = orNull(() => readlinkSync(`/proc/${pid}/exe`)) ?? "";
    for (const [kind, bytes] of parseSmaps(readOrEmpty(`/proc/${pid}/smaps`), program)) {
      all[kind] = (all[kind] ?? 0) + bytes;
    }
  }
  return all;
}

/** Between two looks. */
const LOOK_MS = 5;
const LOOKS_A_LISTING = 20;
const LONGEST_LINE = 256;

/** Looks at each thread, by descriptors that are kept: opening costs more than reading. */
export class WaitSampler {
  readonly #counted: ReadonlySet<WaitKind>;
  readonly #files = new Map<string, number>();
  readonly #found = new Map<WaitKind, number>();
  readonly #line = Buffer.alloc(LONGEST_LINE);
  #looks = 0;
  #isOver = false;
  #done: Promise<void> = Promise.resolve();

  constructor(counted: ReadonlySet<WaitKind>) {
    this.#counted = counted;
  }

  start(pids: readonly number[], { sleep, abort }: ExplainKernel): void {
    const watch = async (): Promise<void> => {
      while (!this.#isOver && !abort.aborted) {
        if (this.#looks % LOOKS_A_LISTING === 0) this.#open(pids);
        this.#look();
        await sleep(LOOK_MS);
      }
    };
    this.#done = watch();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#done;
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  /** Of looks, summed over threads. */
  shares(): Partial<Record<WaitKind, number>> {
    const shares = [...this.#found].map(([kind, count]) => [kind, count / this.#looks]);
    return Object.fromEntries(shares);
  }

  #open(pids: readonly number[]): void {
    for (const thread of threadsOf(pids)) {
      if (this.#files.has(thread)) continue;
      const file = orNull(() => openSync(`${thread}/syscall`, "r"));
      if (file !== null) this.#files.set(thread, file);
    }
  }

  #look(): void {
    this.#looks++;
    for (const [thread, file] of this.#files) {
      const length = orNull(() => readSync(file, this.#line, 0, LONGEST_LINE, 0));
      if (length === null) {
        closeSync(file);
        this.#files.delete(thread);
        continue;
      }
      const kind = parseSyscall(this.#line.toString("latin1", 0, length), process.arch);
      if (kind === null || !this.#counted.has(kind)) continue;
      add(this.#found, kind, 1);
    }
  }
}
