// What `tailgate` says without a command: all that there are.
import { columns } from "../../src/core/base/columns.ts";

/** Which somebody who is new begins with. */
const FIRST = ["demo", "init", "try", "gate"];

export function renderOverview(
  version: string,
  table: Readonly<Record<string, { summary: string }>>,
): string {
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
