// Going on with a capacity search that was interrupted: only for the same question about the same
// build on the same machine.
import { asWritten } from "../../core/base/as-written.ts";
import { type CapacitySamples, CapacitySamplesSchema } from "../../core/capacity/model.ts";
import { isEnded } from "../../core/capacity/result.ts";
import { readCapacitySamples } from "../documents/samples.ts";
import { firstDifference, readUnfinished, refuseToContinue } from "../gate/resume.ts";

export function readEarlierCapacity(path: string): CapacitySamples {
  return readUnfinished(path, readCapacitySamples, "Render it: tailgate capacity --from.");
}

/**
 * The earlier launches that came to their end, with this session's facts, if they are of the same
 * things.
 */
export function continuedCapacity(
  earlier: CapacitySamples,
  fresh: CapacitySamples,
  path: string,
): CapacitySamples {
  const factsOf = (samples: CapacitySamples) => {
    const { artifact, scenario, settings, host } = asWritten(CapacitySamplesSchema, samples);
    return {
      "the builds differ": artifact?.key,
      "the scenario differs": scenario,
      // More time, or more launches, do not change what was measured.
      "objective, tries or precision differ": { ...settings, timeBudgetMs: 0, launches: 0 },
      "it is another machine": host.fingerprint,
    };
  };
  const different = firstDifference(factsOf(earlier), factsOf(fresh));
  if (different !== null) refuseToContinue(path, different);
  const run = { ...earlier.run, state: "running", ended: "running" } as const;
  const launches = earlier.launches.filter(
    (launch) => launch.failure !== null || isEnded(launch, earlier),
  );
  return { ...earlier, settings: fresh.settings, cost: fresh.cost, run, launches };
}
