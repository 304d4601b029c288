// `tailgate capacity`: typed words in, use case, text out.
import { capacityFromFile, measureCapacity } from "../app/capacity.ts";
import type { CapacityOptions } from "../app/capacity-settings.ts";
import type { Environment } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import { DURATION, PERCENTAGE, type Quantity } from "../config/units.ts";
import { CAPACITY_EXIT_CODES } from "../model/capacity.ts";
import type { CostParameters } from "../model/cost.ts";
import { renderCapacityTerminal } from "../report/capacity-terminal.ts";
import { type Parsed, textOf } from "./command-line.ts";

const MOST_LAUNCHES = 1000;

export async function runCapacityCommand(
  parsed: Parsed,
  common: Pick<
    CapacityOptions,
    "config" | "out" | "seed" | "timeBudgetMs" | "resume" | "lockTimeoutMs"
  >,
  environment: Environment,
): Promise<number> {
  const cost = costOptions(parsed);
  const from = textOf(parsed, "from");
  if (from !== null) refuseMeasuring(parsed);
  const { result, files } =
    from === null
      ? await measureCapacity({ ...searchOptions(parsed), ...common, cost }, environment)
      : capacityFromFile({ samples: from, cost, out: common.out }, environment);
  if (parsed.values.json === true) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const text = renderCapacityTerminal(result, {
      width: process.stdout.columns ?? 100,
      color: process.stdout.isTTY && process.env.NO_COLOR === undefined ? "always" : "never",
    });
    const list =
      files.length === 0 ? "" : `\nFiles\n${files.map((file) => `  ${file}\n`).join("")}`;
    process.stdout.write(text + list);
  }
  return CAPACITY_EXIT_CODES[result.state];
}

/** What only a measurement can obey. */
const MEASURING = [
  "scenario",
  "p99",
  "errors",
  "launches",
  "slice",
  "precision",
  "time-budget",
  "resume",
];

function refuseMeasuring({ positionals, values }: Parsed): void {
  const given = MEASURING.find((name) => values[name] !== undefined);
  if (given === undefined && positionals.length === 0) return;
  const what = given === undefined ? `the service ${positionals[0]}` : `--${given}`;
  throw new UserError(`--from renders a file again: ${what} can have no effect`, {
    next: `Leave out ${what}, or measure anew without --from.`,
  });
}

type SearchOptions = Pick<
  CapacityOptions,
  "service" | "scenario" | "objectiveMs" | "errorBudget" | "launches" | "sliceMs" | "precision"
>;

function searchOptions(parsed: Parsed): SearchOptions {
  const [service] = parsed.positionals;
  if (service === undefined) {
    throw new UserError("tailgate capacity: name a service", {
      next: "Such as: tailgate capacity api --scenario echo --p99 20ms.",
    });
  }
  return {
    service,
    scenario: textOf(parsed, "scenario"),
    objectiveMs: quantityOf(parsed, "p99", DURATION, { least: 0.1, most: 60_000 }),
    errorBudget: quantityOf(parsed, "errors", PERCENTAGE, { least: 0, most: 1 }),
    launches: numberOf(parsed, "launches", { least: 1, most: MOST_LAUNCHES, whole: true }),
    sliceMs: quantityOf(parsed, "slice", DURATION, { least: 500, most: 60_000 }),
    precision: quantityOf(parsed, "precision", PERCENTAGE, { least: 0.005, most: 0.5 }),
  };
}

function costOptions(parsed: Parsed): Partial<CostParameters> {
  const days = textOf(parsed, "requests-per-day");
  const given: { [K in keyof CostParameters]: CostParameters[K] | null } = {
    requestsPerDay:
      days === null
        ? null
        : days
            .split(",")
            .map((word) =>
              checkedNumber("requests-per-day", word.trim(), { least: 1, most: 1e15 }),
            ),
    peakFactor: numberOf(parsed, "peak-factor", { least: 1, most: 1000 }),
    utilisation: quantityOf(parsed, "utilisation", PERCENTAGE, { least: 0.01, most: 1 }),
    coresPerHost: numberOf(parsed, "cores-per-host", { least: 0.01, most: 10_000 }),
    hostPrice: numberOf(parsed, "host-price", { least: 0, most: 1e9 }),
  };
  return Object.fromEntries(Object.entries(given).filter(([, wanted]) => wanted !== null));
}

interface Range {
  least: number;
  most: number;
  whole?: true;
}

function numberOf(parsed: Parsed, name: string, range: Range): number | null {
  const typed = textOf(parsed, name);
  return typed === null ? null : checkedNumber(name, typed, range);
}

function checkedNumber(name: string, typed: string, { least, most, whole }: Range): number {
  const number = /^\d+(?:\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
  if (number >= least && number <= most && (whole !== true || Number.isInteger(number))) {
    return number;
  }
  const kind = whole === true ? "a whole number" : "a number";
  throw new UserError(`--${name} ${typed}: expected ${kind} from ${least} to ${most}`);
}

function quantityOf(
  parsed: Parsed,
  name: string,
  kind: Quantity,
  { least, most }: Range,
): number | null {
  const typed = textOf(parsed, name);
  if (typed === null) return null;
  const read = kind.parse(typed);
  if (read.ok && read.value >= least && read.value <= most) return read.value;
  throw new UserError(
    `--${name} ${typed}: expected ${kind.expected}, from ${kind.format(least)} to ${kind.format(most)}`,
  );
}
