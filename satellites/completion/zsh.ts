// The script for zsh.
import { type Completed, type Values, valuesOf } from "./complete.ts";

export function zshScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name);
  const described = commands.map(
    ({ name, summary }) => `    ${quoted(`${name}:${summary.replaceAll(":", "\\:")}`)}`,
  );
  const cases = commands.map((command) => {
    const specs = command.flags.map(({ name, short, takes, help }) => {
      const often = help.includes("several times") ? "*" : "";
      const value = takes === null ? "" : `:${inSpec(takes)}:${offer(valuesOf(takes, names))}`;
      const told = quoted(`[${inSpec(help)}]${value}`);
      return short === null ? `${quoted(often + name)}${told}` : `{${short},${name}}${told}`;
    });
    const words = quoted(`1: :${offer(valuesOf(command.positionals, names))}`);
    return `    ${command.name}) _arguments ${[...specs, HELP, words].join(" ")} ;;`;
  });
  return `#compdef tailgate
# Completes tailgate in zsh. In ~/.zshrc, after compinit: source <(tailgate completion zsh)
_tailgate() {
  local -a commands=(
${described.join("\n")}
  )
  if ((CURRENT == 2)); then
    _describe -t commands command commands
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
${cases.join("\n")}
  esac
}
if [[ $funcstack[1] == _tailgate ]]; then _tailgate "$@"; else compdef _tailgate tailgate; fi
`;
}

const HELP = "'--help[flags and examples]'";

function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `(${values.words.join(" ")})`;
    case "files":
      return "_files";
    case "folders":
      return "_files -/";
    case "unknown":
      return " ";
  }
}

/** Where brackets and colons separate. */
function inSpec(text: string): string {
  return text.replaceAll(/[[\]:\\]/g, "\\$&");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
