// A comparison of two services in words.
import type { ServiceComparison, ServiceFacts } from "../../../src/core/comparison/model.ts";
import { describeCaution } from "../../../src/core/report/words/cautions.ts";
import { describeEnd, describeFault, faultText } from "../../../src/core/report/words/faults.ts";

export function describeServices({
  cautions,
  saturated,
  ...facts
}: ServiceFacts): ServiceComparison {
  const { end } = facts.run;
  const [first] = facts.causes;
  return {
    ...facts,
    run: {
      ...facts.run,
      ended: end === "failed" && first !== undefined ? faultText(first) : describeEnd(end),
    },
    faults: facts.causes.map(describeFault),
    notes: [
      ...saturated.map(
        ({ scenario, service, rounds, of }) =>
          `${scenario}: ${service} could not keep up with the rate in ${rounds} of ${of} rounds; its latency there grows with the length of the run.`,
      ),
      ...cautions.map((caution) => describeCaution(caution, new Map())),
    ],
  };
}
