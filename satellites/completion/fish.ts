// The script for fish.
import { type Completed, type Values, valuesOf } from "./complete.ts";

export function fishScript(commands: readonly Completed[]): string {
  const names = commands.map(({ name }) => name);
  const lines = commands.flatMap(({ name, summary, positionals, flags }) => {
    const within = `complete -c tailgate -n ${quoted(`__fish_seen_subcommand_from ${name}`)}`;
    const words = offer(valuesOf(positionals, names));
    return [
      `complete -c tailgate -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...(words === "" ? [] : [`${within} ${words}`]),
      ...flags.map((flag) => {
        const short = flag.short === null ? "" : ` -s ${flag.short.slice(1)}`;
        const offered = flag.takes === null ? null : offer(valuesOf(flag.takes, names));
        // With -r alone fish offers files beside.
        const takes = offered === null ? "" : ` ${offered === FILES ? "-r" : "-x"} ${offered}`;
        const named = `-l ${flag.name.slice(2)}${short}${takes.trimEnd()}`;
        return `${within} ${named} -d ${quoted(flag.help)}`;
      }),
    ];
  });
  return `# Completes tailgate in fish: tailgate completion fish > ~/.config/fish/completions/tailgate.fish
complete -c tailgate -f
complete -c tailgate -s h -l help -d 'flags and examples'
complete -c tailgate -n __fish_use_subcommand -l version -d 'the version of tailgate'
${lines.join("\n")}
`;
}

const FILES = "-F";

/** Empty: nothing can be offered. */
function offer(values: Values): string {
  switch (values.kind) {
    case "words":
      return `-a ${quoted(values.words.join(" "))}`;
    case "files":
      return FILES;
    case "folders":
      return "-a '(__fish_complete_directories)'";
    case "unknown":
      return "";
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
