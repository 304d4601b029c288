// Whether what was said of a planted cost is right, and where each way of listing has its function. Pure.
import { shortName } from "../../satellites/explain/own.ts";
import type { Service } from "../edit.ts";
import { type Answer, COSTS, foundAs } from "../plants/costs.ts";
import { least } from "./plain.ts";
import type { AnsweredRun, Said } from "./runs.ts";

export type SaidAnswer = Answer | "unknown" | "nothing";

export const answerOf = ({ kind, for: reason }: Said["cause"]): SaidAnswer =>
  (kind === "waiting" ? reason : kind) as SaidAnswer;

/** Places from 1; null: not in the list. */
interface Places {
  /** Of the first row that has it as its function, or as what calls that. */
  explain: number | null;
  /** Of the planted function itself. */
  byName: number | null;
  /**
   * In lists of CPU by difference: of what a function took itself, and with all that it called. Null too
   * where the cost is none that a request meets.
   */
  flat: number | null;
  cumulative: number | null;
}

export interface Score {
  run: AnsweredRun;
  said: SaidAnswer;
  /** It is what was said. */
  isRight: boolean;
  /** It is among what was said, first or beside. */
  isAmong: boolean;
  planted: Answer;
  /** Of the planted function, or of one that it may have been put in, whichever comes first. */
  places: Places;
}

/** Null: of no cost that is planted now. */
export function scoreRun(run: AnsweredRun): Score | null {
  const cost = COSTS[run.edit.name];
  if (run.edit.kind !== "cost" || cost === undefined) return null;
  const { answers, functions } = cost;
  const service = run.edit.service as Service;
  const counting = foundAs(cost, service);
  const isRight = (one: SaidAnswer): boolean => answers.some((answer) => answer === one);
  const said = answerOf(run.said.cause);
  const rows = run.said.rows.map((row) =>
    [row.function, row.calledBy ?? "", row.within ?? ""].map(shortName),
  );
  const [planted] = answers;
  const isMet = planted !== "memory" && planted !== "start";
  const plain = isMet ? run.plain.filter((one) => counting.includes(one.function)) : [];
  return {
    run,
    said,
    isRight: isRight(said),
    isAmong: [run.said.cause, ...run.said.also].map(answerOf).some(isRight),
    planted,
    places: {
      explain: placeOf(rows, counting),
      byName: placeOf(
        rows.map(([name = ""]) => [name]),
        functions[service].slice(0, 1),
      ),
      flat: least(...plain.map(({ flat }) => flat)),
      cumulative: least(...plain.map(({ cumulative }) => cumulative)),
    },
  };
}

function placeOf(rows: readonly string[][], names: readonly string[]): number | null {
  const row = rows.findIndex((one) => one.some((name) => names.includes(name)));
  return row < 0 ? null : row + 1;
}

/** Names a function, where there is none to name. */
export const namesAny = ({ said }: AnsweredRun): boolean => said.rows.length > 0;

/** Says that there is more of anything. */
export const saysAny = ({ said }: AnsweredRun): boolean => answerOf(said.cause) !== "nothing";
