// An explanation as the report of a gate has it: codes and numbers, of which the kernel makes words.
import type { Explanation as Brief } from "../../src/core/model/explanation.ts";
import type { Explanation } from "./explanation.ts";
import { shortName } from "./own.ts";

const LONGEST_NAME = 120;

export function briefOf(explanation: Explanation): Brief {
  const { rows } = explanation;
  return {
    ...causeOf(explanation),
    rows: rows.map(({ function: name, calledBy, before, after, changedHere }) => ({
      function: named(name),
      calledBy: calledBy === null ? null : named(calledBy),
      ...{ before, after },
      changedHere: changedHere === null ? "unknown" : changedHere.length > 0 ? "yes" : "no",
    })),
  };
}

const named = (name: string): string => shortName(name).slice(0, LONGEST_NAME);

function causeOf(explanation: Explanation): Pick<Brief, "cause" | "before" | "after"> {
  const { cause, cpuMs, startMs, latencyUs, mappings } = explanation;
  switch (cause.kind) {
    case "cpu":
      return { cause: "cpu", before: cpuMs.before, after: cpuMs.after };
    case "start":
      return { cause: "start", before: startMs.before, after: startMs.after };
    case "memory": {
      const { before = 0, after = 0 } = mappings.find(({ name }) => name === cause.mapping) ?? {};
      return { cause: "memory", before, after };
    }
    case "waiting":
    case "nothing": {
      const { before, after } = latencyUs;
      const waiting = cause.kind === "nothing" || cause.for === "unknown" ? null : cause.for;
      return {
        cause: waiting ?? (cause.kind === "nothing" ? "nothing" : "waiting"),
        before,
        after,
      };
    }
  }
}
