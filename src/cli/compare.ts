// `tailgate compare`: typed words in, use case, text out.
import { type CompareOptions, comparisonFromFile, measureComparison } from "../app/compare.ts";
import type { Environment } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import { COMPARISON_EXIT_CODES } from "../model/comparison.ts";
import { renderComparisonTerminal } from "../report/comparison-terminal.ts";
import { type Parsed, textOf } from "./command-line.ts";

const MOST_ROUNDS = 1000;

export async function runCompareCommand(
  parsed: Parsed,
  common: Pick<CompareOptions, "config" | "out" | "seed" | "timeBudgetMs" | "lockTimeoutMs">,
  environment: Environment,
): Promise<number> {
  const from = textOf(parsed, "from");
  if (from !== null) refuseMeasuring(parsed);
  const { result, files } =
    from === null
      ? await measureComparison({ ...common, ...choiceOf(parsed) }, environment)
      : comparisonFromFile({ samples: from, out: common.out }, environment);
  if (parsed.values.json === true) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const text = renderComparisonTerminal(result, {
      width: process.stdout.columns ?? 100,
      color: process.stdout.isTTY && process.env.NO_COLOR === undefined ? "always" : "never",
    });
    const list =
      files.length === 0 ? "" : `\nFiles\n${files.map((file) => `  ${file}\n`).join("")}`;
    process.stdout.write(text + list);
  }
  return COMPARISON_EXIT_CODES[result.state];
}

/** What only a measurement can obey. */
const MEASURING = ["rounds", "scenario", "config", "seed", "time-budget", "wait"];

function refuseMeasuring({ positionals, values }: Parsed): void {
  const given = MEASURING.find((name) => values[name] !== undefined);
  if (given === undefined && positionals.length === 0) return;
  const what = given === undefined ? `the service ${positionals[0]}` : `--${given}`;
  throw new UserError(`--from renders a file again: ${what} can have no effect`, {
    next: `Leave out ${what}, or measure anew without --from.`,
  });
}

function choiceOf(parsed: Parsed): Pick<CompareOptions, "names" | "scenarios" | "rounds"> {
  const [first, second] = parsed.positionals;
  if (first === undefined || second === undefined) {
    throw new UserError("tailgate compare: name two services", {
      next: "Such as: tailgate compare api api-next.",
    });
  }
  const { scenario } = parsed.values;
  return {
    names: [first, second],
    scenarios: Array.isArray(scenario) && scenario.length > 0 ? scenario : null,
    rounds: roundsOf(parsed),
  };
}

function roundsOf({ values: { rounds } }: Parsed): number | null {
  if (typeof rounds !== "string") return null;
  const number = /^\d+$/.test(rounds) ? Number(rounds) : Number.NaN;
  if (number >= 1 && number <= MOST_ROUNDS) return number;
  throw new UserError(`--rounds ${rounds}: expected a whole number from 1 to ${MOST_ROUNDS}`);
}
