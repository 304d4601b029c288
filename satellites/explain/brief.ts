// An explanation as the report of a gate has it: codes and numbers, of which the kernel makes words.
import type { Explanation as Brief } from "../../src/core/model/samples.ts";
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
    case "waiting": {
      const { before, after } = latencyUs;
      return { cause: cause.for === "unknown" ? "waiting" : cause.for, before, after };
    }
    case "nothing":
      return { cause: "nothing", before: latencyUs.before, after: latencyUs.after };
  }
}
