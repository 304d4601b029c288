// `--help`, of one command and of all: the table of flags in columns.
import type { Command } from "./command.ts";
import { COMMANDS } from "./commands.ts";

export function usageOf(name: string, { positionals = "", flags }: Command): string {
  const words = ["tailgate", name, positionals, Object.keys(flags).length > 0 ? "[flags]" : ""];
  return words.filter((word) => word !== "").join(" ");
}

export function renderHelp(name: string, command: Command): string {
  const flags = Object.values(command.flags).map((flag) => [
    `--${flag.name}${flag.kind === "switch" ? "" : ` ${flag.placeholder}`}`,
    flag.help,
  ]);
  return [
    usageOf(name, command),
    "",
    `  ${command.summary}`,
    ...(flags.length > 0 ? ["", "Flags", ...columns(flags)] : []),
    "",
    "Examples",
    ...columns(Object.entries(command.examples)),
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
    ...columns(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary])),
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
