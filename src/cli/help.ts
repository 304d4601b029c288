// `--help`, of one command and of all: the table of flags in columns.
import type { Command } from "./command.ts";

export function usageOf(name: string, { positionals = "", flags }: Command): string {
  const shown = Object.keys(flags).length > 0 ? "[flags]" : "";
  // Behind -- stands the command of another program.
  const [own = "", ...foreign] = positionals.split(/(?= -- )/);
  return ["tailgate", name, own, shown, ...foreign.map((words) => words.trim())]
    .filter((word) => word !== "")
    .join(" ");
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
    "",
    "Flags",
    ...columns([...flags, ["-q, --quiet", "print the result alone: no progress, no notes"]]),
    "",
    "Examples",
    ...columns(Object.entries(command.examples)),
    "",
  ].join("\n");
}

const FIRST = ["demo", "init", "try", "gate"];

export function renderOverview(version: string, table: Readonly<Record<string, Command>>): string {
  const names = [...FIRST, ...Object.keys(table).filter((name) => !FIRST.includes(name))];
  const rows = columns(names.map((name) => [name, table[name]?.summary ?? ""]));
  return [
    `tailgate ${version}: gates pull requests on tail latency and memory`,
    "",
    "Usage: tailgate <command> [flags]",
    "",
    "Start here",
    ...rows.slice(0, FIRST.length),
    "",
    "Commands",
    ...rows.slice(FIRST.length),
    "",
    "tailgate <command> --help shows a command's flags and examples; tailgate version shows the version.",
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
