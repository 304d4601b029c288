// The gated questions of a run, by the rule as it is now. Pure.
import type { JudgedComparison } from "../../src/core/model/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import type { StoredRun } from "./runs.ts";

export const gatedOf = ({ samples }: Pick<StoredRun, "samples">): JudgedComparison[] =>
  judge({ samples, baselines: [] }).comparisons.filter(({ level }) => level === "gate");

/** Rounds until it was answered; all of them where it never was. */
export const answeredAt = ({ trail, rounds }: JudgedComparison): number =>
  trail.at(-1)?.rounds ?? rounds;
