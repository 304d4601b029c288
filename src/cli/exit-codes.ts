// What the shell learns of a command: the exit code of each ending. Only the help and `entry`, which
// must not load it, write such numbers again.
import type { CapacityState } from "../core/capacity/model.ts";
import type { VerdictState } from "../core/model/verdict.ts";

export const EXIT = {
  /** A wrong flag or configuration, a failed build, or nothing to compare with. */
  usage: 2,
  /** The measurement cannot be trusted. */
  invalid: 3,
  undecided: 4,
  /** EX_SOFTWARE of sysexits.h: a bug of ours, which is no verdict on anybody's code. */
  bug: 70,
} as const;

export const VERDICT_EXIT: Readonly<Record<VerdictState, number>> = {
  pass: 0,
  improved: 0,
  regressed: 1,
  "no-baseline": EXIT.usage,
  invalid: EXIT.invalid,
  inconclusive: EXIT.undecided,
};

export const CAPACITY_EXIT: Readonly<Record<CapacityState, number>> = {
  found: 0,
  "at-least": EXIT.undecided,
  below: EXIT.undecided,
  invalid: EXIT.invalid,
};

/** 128 and the signal's number, as shells have it. */
export const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
