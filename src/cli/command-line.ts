// The words of a command line by the table of commands: which command, what its flags come to, and
// whether help is asked for.
import { parseArgs } from "node:util";
import type { Environment } from "../app/settings.ts";
import { UserError } from "../core/base/errors.ts";
import { nearest } from "../core/base/nearest.ts";
import type { Command, Given } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import type { Flag } from "./flags.ts";
import { usageOf } from "./help.ts";

/** Behind `--` stand the words of another program, whose own help is its affair. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

/** Null: there is none of this name. */
export function commandNamed(name: string): Command | null {
  return Object.hasOwn(COMMANDS, name) ? (COMMANDS[name] ?? null) : null;
}

/** What was typed, and the command to run with it. */
interface Parsed extends Given {
  /** Only the result is wanted. */
  isQuiet: boolean;
  /** Returns the exit code. */
  run(environment: Environment): Promise<number>;
}

/** Throws a UserError that names the word, what was expected and the nearest valid one. */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const [name = "", ...rest] = argv;
  const command = commandNamed(name);
  if (command === null) {
    const problem = name.startsWith("-") ? "a command comes before" : "unknown command:";
    throw new UserError(`${problem} ${name}`, {
      next: suggestion(name, Object.keys(COMMANDS), "tailgate --help lists the commands."),
    });
  }
  const flags = Object.entries(command.flags);
  const { values, positionals } = parseWords(
    name,
    flags.map(([, flag]) => flag),
    rest,
  );
  const most = command.maxPositionals ?? (command.positionals === undefined ? 0 : 1);
  const extra = positionals[most];
  if (extra !== undefined) {
    const next = `${askFlags(extra, flags)}Usage: ${usageOf(name, command)}`;
    throw new UserError(`tailgate ${name}: unexpected argument: ${extra}`, { next });
  }
  const typed = Object.fromEntries(
    flags.map(([key, flag]) => [key, read(flag, values[flag.name])]),
  );
  refuseIdle(command, typed, positionals);
  const given: Given = { name, flags: typed as Given["flags"], positionals };
  const isQuiet = values[QUIET] === true;
  return { ...given, isQuiet, run: (environment) => command.run(given, environment) };
}

const QUIET = "quiet";

/** A word that stands alone is mostly meant as the value of a flag. */
function askFlags(word: string, flags: readonly (readonly [string, Flag])[]): string {
  const meant = /\.ya?ml$/.test(word) ? ["config"] : ["reference", "service"];
  const typed = meant.filter((name) => flags.some(([, flag]) => flag.name === name));
  return typed.length === 0
    ? ""
    : `Did you mean ${typed.map((one) => `--${one} ${word}`).join(", or ")}? `;
}

type Word = string | boolean | (string | boolean)[] | undefined;

function read(flag: Flag, word: Word): unknown {
  if (flag.kind === "switch") return word === true;
  if (word === undefined) return null;
  // An empty one is a variable that was not set.
  if (word === "") throw new UserError(`--${flag.name} is empty`);
  return flag.kind === "value" ? flag.read(String(word)) : word;
}

/** What is typed and can have no effect is a misunderstanding. */
function refuseIdle(
  { flags, idle }: Command,
  typed: Readonly<Record<string, unknown>>,
  [word]: readonly string[],
): void {
  const isTyped = (key: string): boolean =>
    key in flags
      ? typed[key] !== null && typed[key] !== false
      : word !== undefined && (key === word || key === "service");
  const nameOf = (key: string): string =>
    key in flags ? `--${flags[key]?.name}` : key === "service" ? `the service ${word}` : key;
  for (const how of ["with", "without"] as const) {
    for (const [cause, keys] of Object.entries(idle?.[how] ?? {})) {
      const key = isTyped(cause) === (how === "with") ? keys.find(isTyped) : undefined;
      if (key === undefined) continue;
      throw new UserError(`${nameOf(key)} can have no effect ${how} ${nameOf(cause)}`, {
        next: `Leave out ${nameOf(key)}, or ${how === "with" ? "leave out" : "add"} ${nameOf(cause)}.`,
      });
    }
  }
}

function parseWords(
  name: string,
  flags: readonly Flag[],
  words: readonly string[],
): { values: Record<string, Word>; positionals: string[] } {
  const known = [...flags.map((flag) => flag.name), QUIET];
  for (const word of words) {
    if (word === "--") break;
    const flag = /^--[^=]+|^-[a-z]$/i.exec(word)?.[0];
    if (flag === undefined || flag === "-q" || known.includes(flag.slice(2))) continue;
    const help = flag === "--dry-run" ? DRY_RUN : `tailgate ${name} --help lists the flags.`;
    throw new UserError(`tailgate ${name}: unknown flag: ${flag}`, {
      next: suggestion(flag.replace(/^-+/, ""), known, help, "--"),
    });
  }
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      strict: true,
      options: {
        [QUIET]: { type: "boolean", short: "q" },
        ...Object.fromEntries(flags.map((flag) => [flag.name, optionOf(flag)])),
      },
    });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new UserError(`tailgate ${name}: ${message}`, {
      next: `tailgate ${name} --help shows how.`,
    });
  }
}

const DRY_RUN = "tailgate plan says what a gate would do, and starts nothing.";

const optionOf = ({ kind }: Flag) =>
  kind === "switch"
    ? { type: "boolean" as const }
    : { type: "string" as const, multiple: kind === "list" };

function suggestion(
  word: string,
  known: readonly string[],
  otherwise: string,
  prefix = "",
): string {
  const begun = known.find((name) => word.length > 1 && name.startsWith(word));
  const near = nearest(word, known) ?? begun ?? null;
  return near === null ? otherwise : `Did you mean ${prefix}${near}? ${otherwise}`;
}
