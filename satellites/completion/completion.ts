// Completion of the command line in shells, by the help of its commands. Pure.
import { UserError } from "../../src/core/base/errors.ts";
import { bashScript } from "./bash.ts";
import { type Completed, parseHelp } from "./complete.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

export { renderOverview } from "./overview.ts";

const SCRIPTS: Readonly<Record<string, (commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** It answers with the others' help, and has none. */
const HELP: Completed = {
  name: "help",
  summary: "flags and examples of a command",
  positionals: "<command>",
  flags: [],
};

/** `shell`: as typed. */
export function renderCompletion(shell: string, helps: Readonly<Record<string, string>>): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  const commands = Object.entries(helps).map(([name, help]) => parseHelp(name, help));
  if (script !== undefined) return script([...commands, HELP]);
  const problem = shell === "" ? "name a shell" : `there is none for ${shell}`;
  throw new UserError(`tailgate completion: ${problem}`, {
    next: `One of: ${Object.keys(SCRIPTS).join(", ")}.`,
  });
}
