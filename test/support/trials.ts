// How many trials a simulation takes: all at night (TAILGATE_NIGHT=1), else about a tenth, with the
// same seeds. With SIMULATION_SCALE they print their rates: SIMULATION_SCALE=1 takes all,
// SIMULATION_SCALE=20 twenty times as many.

/** With fewer, no number of events proves a rate above 30 %, and the test could not fail. */
const FEWEST = 10;

const SCALE = Number(
  process.env.SIMULATION_SCALE ?? (process.env.TAILGATE_NIGHT === "1" ? 1 : 0.1),
);

export const PRINTS_RATES = process.env.SIMULATION_SCALE !== undefined;

export function trialsOf(all: number): number {
  return Math.max(Math.min(all, FEWEST), Math.round(all * SCALE));
}
