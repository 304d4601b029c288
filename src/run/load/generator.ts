// One generator for a run whose scenarios may ask for different ones.
import type { Generator } from "../../model/config.ts";
import type { LoadGenerator } from "./load-generator.ts";

export function generatorOf(
  known: Readonly<Partial<Record<Generator, LoadGenerator>>>,
): LoadGenerator {
  const names = Object.values(known).map(({ name }) => name);
  return {
    name: names.join(", "),
    run: async (request) => {
      const generator = known[request.scenario.generator];
      if (generator === undefined) {
        throw new Error(`bug in tailgate: ${request.scenario.generator} was not looked for`);
      }
      return await generator.run(request);
    },
  };
}
