// The words of a command line by the table of flags: the command, its values, and whether help is asked for. What a value means
// is for the command to say.
import { parseArgs } from "node:util";
import { UserError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import { COMMANDS, type CommandSpec } from "./flags.ts";
import { usageOf } from "./help.ts";

/** What was typed: not yet checked beyond names. */
export interface Parsed {
  command: CommandSpec;
  positionals: string[];
  values: Record<string, string | boolean | string[] | undefined>;
}

/** Behind `--` stand the words of another program, whose own help is its affair. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

/** Text of a flag; null: not given. An empty one is a variable that was not set. */
export function textOf(parsed: Parsed, name: string): string | null {
  const typed = parsed.values[name];
  if (typed === "") throw new UserError(`--${name} is empty`);
  return typeof typed === "string" ? typed : null;
}

/** Throws a UserError that names the word, what was expected and the nearest valid one. */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const [name = "", ...rest] = argv;
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command === undefined) {
    throw new UserError(`unknown command: ${name}`, {
      next: suggestion(
        name,
        COMMANDS.map((candidate) => candidate.name),
        "tailgate --help lists the commands.",
      ),
    });
  }
  const { values, positionals } = parseWords(command, rest);
  if (positionals.length > command.maxPositionals) {
    throw new UserError(
      `tailgate ${name}: unexpected argument: ${positionals[command.maxPositionals]}`,
      { next: `Usage: ${usageOf(command)}` },
    );
  }
  return { command, positionals, values };
}

function parseWords(
  command: CommandSpec,
  words: readonly string[],
): Pick<Parsed, "values" | "positionals"> {
  const known = command.flags.map((flag) => flag.name);
  for (const word of words) {
    if (word === "--") break;
    const flag = /^--(?:no-)?([^=]+)/.exec(word)?.[1];
    if (flag !== undefined && !known.includes(flag)) {
      throw new UserError(`tailgate ${command.name}: unknown flag: --${flag}`, {
        next: suggestion(flag, known, `tailgate ${command.name} --help lists the flags.`, "--"),
      });
    }
  }
  try {
    const parsed = parseArgs({
      args: [...words],
      allowPositionals: true,
      strict: true,
      options: Object.fromEntries(
        command.flags.map((flag) => [
          flag.name,
          flag.kind === "switch"
            ? { type: "boolean" as const }
            : { type: "string" as const, multiple: flag.kind === "list" },
        ]),
      ),
    });
    return {
      values: parsed.values as Parsed["values"],
      positionals: parsed.positionals,
    };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new UserError(`tailgate ${command.name}: ${message}`, {
      next: `tailgate ${command.name} --help shows how.`,
    });
  }
}

function suggestion(
  word: string,
  known: readonly string[],
  otherwise: string,
  prefix = "",
): string {
  const near = nearest(word, known);
  return near === null ? otherwise : `Did you mean ${prefix}${near}? ${otherwise}`;
}
