// Why a run ended.
import type { RunEnd } from "../../model/samples.ts";

const ENDS: Readonly<Record<RunEnd, string>> = {
  answered: "every question is answered",
  rounds: "all rounds are measured",
  launches: "all launches are measured",
  screened: "the screen is over",
  regressed: "a regression is proven (--answer-all answers the rest too)",
  "max-rounds": "no more rounds are looked at",
  "out-of-time": "the time budget is used up",
  interrupted: "stopped by a signal",
  running: "the run was killed",
  failed: "the run failed",
};

export function describeEnd(end: RunEnd): string {
  return ENDS[end];
}
