// Rounds of fresh launches of both arms, each profiled, as many as the time gives; then what is
// counted exactly.

import { basename } from "node:path";
import { UserError } from "../../../src/core/base/errors.ts";
import { createPrng, shuffled } from "../../../src/core/base/prng.ts";
import type { ExplainKernel } from "../../../src/core/model/kernels.ts";
import { ARMS, type Arm } from "../../../src/core/model/samples.ts";
import { formatShare } from "../../../src/core/text/format.ts";
import { totalWeight } from "../fold.ts";
import type { Own, Profiled, Session, SyscallCounts } from "../model.ts";
import { asksForMemory, gateChangesOf } from "../red.ts";
import { countSyscalls } from "./count-syscalls.ts";
import { type Profiler, profileLaunch } from "./launch.ts";
import { findPerf } from "./perf.ts";
import type { Refused } from "./permission.ts";
import { findProgram } from "./program.ts";

/** One joint sign flip needs ten or more; further ones tell little. */
const MOST_ROUNDS = 12;
/** What a round takes beyond the longest so far. */
const ROUND_SLACK = 1.15;
/** For the analysis. */
const END_MS = 3000;

export interface Recorded {
  session: Session;
  /** Null: profiles were taken. */
  refused: Refused | null;
  /** What else could not be had, in words. */
  notes: readonly string[];
}

export async function recordSession(kernel: ExplainKernel): Promise<Recorded> {
  const beganMs = kernel.nowMs();
  const program = findProgram(kernel);
  kernel.status("explain: trying perf");
  const gate = gateChangesOf(kernel);
  const found = await findPerf(kernel, program, asksForMemory(gate));
  const [perf, refused] = "why" in found ? [null, found] : [found, null];
  const { launches, left } = await runRounds(
    { kernel, program, perf },
    beganMs + kernel.seconds * 1000 - END_MS,
  );
  const [why] = left;
  if (new Set(launches.map(({ arm }) => arm)).size < ARMS.length && why !== undefined) {
    throw new UserError(`no profiled round of both builds counts: ${why}`);
  }
  const notes = [...nameless(launches, program.own, basename(kernel.artifact ?? "")), ...left];
  const counted = await countBoth(kernel);
  const [syscalls, unknown] = typeof counted === "string" ? [null, [counted]] : [counted, []];
  const session = { launches, syscalls, own: program.own, gate, diff: kernel.diff };
  return { session, refused, notes: [...notes, ...unknown] };
}

/** A text says why there are none. */
async function countBoth(kernel: ExplainKernel): Promise<string | Record<Arm, SyscallCounts>> {
  const reference = await countSyscalls("reference", kernel);
  if (typeof reference === "string") return reference;
  const candidate = await countSyscalls("candidate", kernel);
  return typeof candidate === "string" ? candidate : { reference, candidate };
}

/** Of all samples: fewer may be of code that never has a name. */
const MANY_NAMELESS = 0.1;

const WITH_SYMBOLS: Readonly<Record<Own["kind"], string>> = {
  go: "without -s in -ldflags",
  rust: 'with strip = "none" and debug = "line-tables-only" in [profile.release]',
  path: "with -g1, and not stripped",
};

/** Whether functions of the program have no names, and how to build it. */
export function nameless(
  launches: readonly Pick<Profiled, "stacks">[],
  own: Own,
  file: string,
): string[] {
  const stacks = launches.flatMap((one) => one.stacks);
  const unnamed = stacks.filter(({ frames }) =>
    frames.some(({ name, module }) => module === file && name === `[${file}]`),
  );
  const share = totalWeight(unnamed) / Math.max(1, totalWeight(stacks));
  if (share < MANY_NAMELESS) return [];
  const most = `${file} has no symbols, so ${formatShare(share)} of the samples have no name of its functions`;
  return [`${most}: build both versions ${WITH_SYMBOLS[own.kind]}`];
}

/** `left`: why launches were left out. */
async function runRounds(profiler: Profiler, endMs: number) {
  const { kernel } = profiler;
  const prng = createPrng(kernel.seed);
  const launches: Profiled[] = [];
  const left: string[] = [];
  let longestMs = 0;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const startedMs = kernel.nowMs();
    // Counting takes as long as one more.
    const neededMs = (1 + ROUND_SLACK) * longestMs;
    if (round > 0 && startedMs + neededMs > endMs) break;
    for (const arm of shuffled(ARMS, prng)) {
      kernel.status(`explain: round ${round + 1}, the ${arm}`);
      const launch = await profileLaunch({ arm, round }, profiler);
      if (typeof launch === "string") left.push(launch);
      else launches.push(launch);
    }
    longestMs = Math.max(longestMs, kernel.nowMs() - startedMs);
  }
  return { launches, left };
}
