// A comparison of two services in words.
import type { ServiceComparison, ServiceFacts } from "../../../src/core/comparison/model.ts";
import { describeCaution } from "../../../src/core/report/words/cautions.ts";
import { describeFault, END_WORDS, faultText } from "../../../src/core/report/words/faults.ts";
import { describeCulprits, describeRules } from "../../../src/core/text/machine.ts";

type Disturbed = Extract<ServiceFacts["cautions"][number], { code: "disturbed" }>;

export function describeServices({
  cautions,
  saturated,
  ...facts
}: ServiceFacts): ServiceComparison {
  const { end } = facts.run;
  const sides = { ...facts.services, both: "both services" };
  const [first] = facts.causes;
  return {
    ...facts,
    run: {
      ...facts.run,
      ended: end === "failed" && first !== undefined ? faultText(first, sides) : END_WORDS[end],
    },
    faults: facts.causes.map((fault) => describeFault(fault, sides)),
    notes: [
      ...saturated.map(
        ({ scenario, service, rounds, of }) =>
          `${scenario}: ${service} could not keep up with the rate in ${rounds} of ${of} rounds; its latency there grows with the length of the run.`,
      ),
      ...cautions.map((caution) =>
        caution.code === "disturbed"
          ? describeDisturbed(caution)
          : describeCaution(caution, new Map(), sides),
      ),
    ],
  };
}

/** Nothing is judged here, so that they only count. */
function describeDisturbed({ disturbed, slices, byRule, culprits }: Disturbed): string {
  const who = culprits.length === 0 ? "" : ` Meanwhile ${describeCulprits(culprits)}.`;
  return `In ${disturbed} of ${slices} measurements something else took the machine (${describeRules(byRule)}); they count.${who}`;
}
