// An explanation as the report of a gate has it: codes and numbers, of which the kernel makes words.
import type { Explanation as Brief } from "../../src/core/model/samples.ts";
import { type Explanation, isChanged, riseOfCause } from "./explanation.ts";
import { shortName } from "./own.ts";

const LONGEST_NAME = 120;

export function briefOf(explanation: Explanation): Brief {
  const { cause, rows } = explanation;
  const { before, after } = riseOfCause(explanation);
  return {
    cause: codeOf(cause),
    ...{ before, after },
    rows: rows.map((row) => ({
      function: named(row.function),
      calledBy: row.calledBy === null ? null : named(row.calledBy),
      ...{ before: row.before, after: row.after },
      changedHere: isChanged(row),
    })),
  };
}

const named = (name: string): string => shortName(name).slice(0, LONGEST_NAME);

function codeOf(cause: Explanation["cause"]): Brief["cause"] {
  if (cause.kind !== "waiting") return cause.kind;
  return cause.for === "unknown" ? "waiting" : cause.for;
}
