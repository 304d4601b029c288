// `--help` of one command: the table of flags in columns.
import { columns } from "../core/base/columns.ts";
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
