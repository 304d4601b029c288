// One generator for a run whose scenarios may ask for different ones.
import type { Generator } from "../../../core/model/config.ts";
import { type LoadGenerator, type LoadRequest, sendBy } from "../../../core/slice/load.ts";
import { mixing } from "./mix.ts";

/** Mixes included. */
export function generatorOf(
  known: Readonly<Partial<Record<Generator, LoadGenerator>>>,
): LoadGenerator {
  const names = Object.values(known).map(({ name }) => name);
  const chosen = ({ scenario }: LoadRequest): LoadGenerator => {
    const generator = known[scenario.generator];
    if (generator === undefined) throw new Error(`${scenario.generator} was not looked for`);
    return generator;
  };
  return mixing({
    name: names.join(", "),
    run: async (request) => await chosen(request).run(request),
    send: async (request) => await sendBy(chosen(request), request),
  });
}
