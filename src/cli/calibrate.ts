// `tailgate calibrate`: typed words in, use case, text out.
import { type CalibrateOptions, calibrate, DEFAULT_ROUNDS } from "../app/calibrate.ts";
import type { Environment, MeasureOptions } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import { parseDuration } from "../config/units.ts";
import { EXIT_CODES } from "../model/verdict.ts";
import { renderCalibrationTerminal } from "../report/calibration-terminal.ts";
import { unkept } from "../report/calibration-text.ts";
import { type Parsed, textOf } from "./command-line.ts";

const FEWEST_ROUNDS = 8;
const MOST_ROUNDS = 500;
const SHORTEST_SLICE_MS = 50;
const LONGEST_SLICE_MS = 60_000;

export async function runCalibrateCommand(
  parsed: Parsed,
  common: MeasureOptions,
  environment: Environment,
): Promise<number> {
  const { profile, files } = await calibrate(calibrateOptions(parsed, common), environment);
  if (parsed.values.json === true) {
    process.stdout.write(`${JSON.stringify(profile)}\n`);
  } else {
    const text = renderCalibrationTerminal(profile, {
      width: process.stdout.columns ?? 100,
      color: process.stdout.isTTY && process.env.NO_COLOR === undefined ? "always" : "never",
    });
    const list =
      files.length === 0 ? "" : `\nFiles\n${files.map((file) => `  ${file}\n`).join("")}`;
    process.stdout.write(text + list);
  }
  return unkept(profile).length === 0 ? 0 : EXIT_CODES.inconclusive;
}

export function calibrateOptions(parsed: Parsed, common: MeasureOptions): CalibrateOptions {
  const from = textOf(parsed, "from");
  const rounds = textOf(parsed, "rounds");
  const slices = textOf(parsed, "slices");
  if (from !== null) {
    const given = ["rounds", "slices", "time-budget"].find((name) => textOf(parsed, name) !== null);
    if (given !== undefined) {
      throw new UserError(`--from reads a file: --${given} can have no effect`, {
        next: `Leave out --${given}, or measure anew without --from.`,
      });
    }
  }
  return {
    ...common,
    from,
    rounds: rounds === null ? DEFAULT_ROUNDS : roundsOf(rounds),
    sliceMs: slices === null ? [] : slices.split(",").map((word) => lengthOf(word.trim())),
  };
}

function roundsOf(typed: string): number {
  const number = /^\d+$/.test(typed) ? Number(typed) : Number.NaN;
  if (number >= FEWEST_ROUNDS && number <= MOST_ROUNDS) return number;
  throw new UserError(
    `--rounds ${typed}: expected a whole number from ${FEWEST_ROUNDS} to ${MOST_ROUNDS}`,
  );
}

function lengthOf(typed: string): number {
  const read = parseDuration(typed);
  if (read.ok && read.value >= SHORTEST_SLICE_MS && read.value <= LONGEST_SLICE_MS) {
    return Math.round(read.value);
  }
  throw new UserError(`--slices ${typed}: expected lengths from 50ms to 60s, such as 250ms,1s`);
}
