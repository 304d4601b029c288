// `--help`, of one command and of all: the table of flags in columns.
import { COMMANDS, type CommandSpec } from "./flags.ts";

export function usageOf(command: CommandSpec): string {
  const positionals = command.positionals === "" ? "" : ` ${command.positionals}`;
  return `tailgate ${command.name}${positionals}${command.flags.length > 0 ? " [flags]" : ""}`;
}

export function renderHelp(command: CommandSpec): string {
  const flags = command.flags.map((flag) => [
    `--${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`,
    flag.help,
  ]);
  const examples = command.examples.map(({ line, means }) => [line, means]);
  return [
    `${usageOf(command)}`,
    "",
    `  ${command.summary}`,
    ...(flags.length > 0 ? ["", "Flags", ...columns(flags)] : []),
    "",
    "Examples",
    ...columns(examples),
    "",
  ].join("\n");
}

export function renderOverview(version: string): string {
  return [
    `tailgate ${version}: gates pull requests on tail latency and memory`,
    "",
    "Usage: tailgate <command> [flags]",
    "",
    "Commands",
    ...columns(COMMANDS.map((command) => [command.name, command.summary])),
    "",
    "tailgate <command> --help shows a command's flags and examples.",
    "",
    "Exit codes",
    ...columns([
      ["0", "acceptable: pass or improved"],
      ["1", "regressed"],
      ["2", "usage, configuration, build, or no baseline to compare with"],
      ["3", "invalid measurement"],
      ["4", "inconclusive"],
    ]),
    "",
  ].join("\n");
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}  ${right}`);
}
