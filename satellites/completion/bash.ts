// The script for bash. It needs nothing of the package bash-completion.
import { type Completed, type Values, valuesOf } from "./complete.ts";

export function bashScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((flag) =>
      flag.takes === null
        ? []
        : `    "${name} ${flag.name}") ${offer(valuesOf(flag.takes, names))}; return ;;`,
    ),
  );
  const words = commands.map(({ name, positionals, flags }) => {
    const own = [...flags.map((flag) => flag.name), "--help"].join(" ");
    const first = offer(valuesOf(positionals, names));
    return `    ${name}) [[ $current == -* ]] || { ${first}; return; }; flags="${own}" ;;`;
  });
  return `# Completes tailgate in bash. In ~/.bashrc: source <(tailgate completion bash)
_tailgate_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_tailgate_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$current"))
}
_tailgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" flags="" i
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _tailgate_words "${names.join(" ")} --help --version"
    return
  fi
  # Behind -- stands the command of another program.
  for ((i = 2; i < COMP_CWORD; i++)); do
    [[ \${COMP_WORDS[i]} != -- ]] || { _tailgate_paths -f; return; }
  done
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${words.join("\n")}
  esac
  _tailgate_words "$flags"
}
complete -F _tailgate tailgate
`;
}

function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `_tailgate_words "${values.words.join(" ")}"`;
    case "files":
      return "_tailgate_paths -f";
    case "folders":
      return "_tailgate_paths -d";
    case "unknown":
      return ":";
  }
}
