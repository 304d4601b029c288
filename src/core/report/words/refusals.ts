// Why a run cannot become a baseline; lines after the first are what a service or a tool said.
import type { Refusal } from "../../baseline/update/model.ts";
import { describeEnd } from "./ends.ts";
import { describeFault } from "./faults.ts";
import { describeFinding } from "./findings.ts";

export function describeRefusal(refusal: Refusal): string {
  switch (refusal.code) {
    case "fault":
      return describeFault(refusal.fault);
    case "incomplete":
      return `the run is not complete: ${describeEnd(refusal.ended)}`;
    case "uncommitted":
      return "its candidate had uncommitted changes";
    case "few-launches":
      return `inconclusive: ${refusal.service} ${refusal.key} has ${refusal.launches} launches under the whole load, ${refusal.needed} are needed`;
    case "undecided":
      return `inconclusive: ${describeFinding(refusal.comparison)}`;
  }
}
