// A comparison of two services in words.
import { compareServices, type ServiceFacts } from "../../comparison/compare.ts";
import type { ServiceComparison } from "../../comparison/model.ts";
import type { Samples } from "../../model/samples.ts";
import { describeCaution } from "./cautions.ts";
import { describeEnd, describeFault, faultText } from "./faults.ts";

export function describeServices(samples: Samples): ServiceComparison {
  const { cautions, saturated, ...facts }: ServiceFacts = compareServices(samples);
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
