// The gated questions of a run, by the rule as it is now. Pure.
import type { Samples } from "../../src/core/model/samples.ts";
import type { JudgedComparison } from "../../src/core/model/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { unsteadyCpus } from "../../src/core/verdict/warnings.ts";
import type { StoredRun } from "./runs.ts";

/** A page asks several things of each run. */
const judged = new WeakMap<Samples, readonly JudgedComparison[]>();

function comparisonsOf({ samples }: Pick<StoredRun, "samples">): readonly JudgedComparison[] {
  const known = judged.get(samples) ?? judge({ samples, baselines: [] }).comparisons;
  judged.set(samples, known);
  return known;
}

export const gatedOf = (run: Pick<StoredRun, "samples">): JudgedComparison[] =>
  comparisonsOf(run).filter(({ level }) => level === "gate");

/** Rounds until it was answered; all of them where it never was. */
export const answeredAt = ({ trail, rounds }: JudgedComparison): number =>
  trail.at(-1)?.rounds ?? rounds;

/** By how much the CPU time of a request varied from round to round, where the report warns of it. */
export const unsteadinessOf = (run: Pick<StoredRun, "samples">): number[] =>
  unsteadyCpus(run.samples, comparisonsOf(run)).map(({ sd }) => sd);
