// What a generator put into latencies of its own: said beside every result that holds it.
import type { Round } from "../model/samples.ts";
import type { Warning } from "../model/verdict.ts";
import { median } from "../stats/dispersion.ts";

interface Measured {
  config: { scenarios: readonly { id: string }[] };
  rounds: readonly Round[];
}

export function generatorWarnings({ config, rounds }: Measured): Warning[] {
  return config.scenarios.flatMap(({ id }) => {
    const slices = rounds
      .flatMap(({ scenarios }) => scenarios.filter(({ scenario }) => scenario === id))
      .flatMap((entry) => entry.slices)
      .filter((slice) => slice.void === null && slice.slackUs !== undefined);
    if (slices.length === 0) return [];
    const slack = median(slices.map(({ slackUs }) => slackUs ?? Number.NaN));
    const p50 = median(slices.map(({ latency }) => latency?.p50 ?? Number.NaN));
    return [
      {
        kind: "generator",
        text: `${id}: wrk2 itself made latencies ${ms(slack)} longer on average, of a median of ${ms(p50)}: that part is its timers and the wait behind earlier requests of a connection, and hides changes of the service that are smaller.`,
      },
    ];
  });
}

function ms(us: number): string {
  return `${(us / 1000).toFixed(2)} ms`;
}
