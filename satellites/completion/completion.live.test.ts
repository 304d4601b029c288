// What real shells complete by the scripts that the command line prints.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, type TestContext, test } from "vitest";
import { tryFindProgram } from "../../src/machine/sys/find-program.ts";
import { sharedFolder } from "../../test/support/files.ts";

const CLI = resolve(import.meta.dirname, "../../src/entry/cli.ts");
const folder = sharedFolder();
const at = (name: string): string => join(folder, name);
const scriptOf = (shell: string): string => at(`.tailgate.${shell}`);

/** Zsh completes where there is a terminal only: what it finds, it writes to a file. */
const IN_TERMINAL = `autoload -Uz compinit; compinit -D
source ${scriptOf("zsh")}
bindkey '^I' complete-word
compadd() {
  if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then
    local -a hits; builtin compadd -A hits "$@"
    for hit in $hits; do print -r -- $hit >> $FOUND; done
  fi
  builtin compadd "$@"
}
finish() { print done >> $FOUND.done }
comppostfuncs=(finish)
`;
const TERMINAL = `zmodload zsh/zpty
export FOUND=$2; : > $FOUND; rm -f $FOUND.done
zpty z zsh -f -i
zpty -w z "source $1"
zpty -n -w z "$3"$'\\t'
for i in {1..300}; do
  [[ -e $FOUND.done ]] && break
  while zpty -r -t z shown; do :; done
  sleep 0.1
done
zpty -d z
[[ -e $FOUND.done ]] && cat $FOUND
`;

const BASH = `source "$1"; COMP_WORDS=($2); [[ "$2" != *' ' ]] || COMP_WORDS+=(""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _tailgate; printf '%s\\n' "\${COMPREPLY[@]}"`;

const SHELLS: Record<string, (line: string) => readonly string[]> = {
  bash: (line) => ["--norc", "-c", BASH, "-", scriptOf("bash"), line],
  fish: (line) => ["--no-config", "-c", `source ${scriptOf("fish")}; complete -C '${line}'`],
  zsh: (line) => ["-f", at(".driver.zsh"), at(".terminal.zsh"), at(".found"), line],
};

beforeAll(() => {
  for (const shell of Object.keys(SHELLS)) {
    const args = [CLI, "completion", shell];
    writeFileSync(scriptOf(shell), execFileSync(process.execPath, args));
  }
  writeFileSync(at(".terminal.zsh"), IN_TERMINAL);
  writeFileSync(at(".driver.zsh"), TERMINAL);
  for (const name of ["samples.v1.json", "results.txt"]) writeFileSync(at(name), "");
  mkdirSync(at("results"));
});

/** Without what fish says of each, and how a folder is marked. */
function completed(shell: string, line: string, context: TestContext): string[] {
  const program = tryFindProgram(shell);
  if (program === null) {
    console.warn(`skipped: ${shell} not on PATH`);
    return context.skip(`${shell} not on PATH`);
  }
  const args = SHELLS[shell]?.(line) ?? [];
  const env = { ...process.env, HOME: folder, TERM: "dumb" };
  const said = execFileSync(program, args, { cwd: folder, encoding: "utf8", env });
  const words = said.split("\n").map((word) => word.replace(/\t.*/, "").replace(/\/$/, ""));
  return [...new Set(words.filter((word) => word !== ""))].sort();
}

const CASES: [line: string, words: string[]][] = [
  ["tailgate ga", ["gate"]],
  ["tailgate ca", ["calibrate", "capacity"]],
  ["tailgate gate --measure", ["--measure-unchanged"]],
  ["tailgate gate --compare s", ["stored"]],
  ["tailgate gate --out r", ["results"]],
  ["tailgate gate --seed 1 --answer", ["--answer-all"]],
  ["tailgate gate --seed ", []],
  ["tailgate baseline up", ["update"]],
  ["tailgate judge sam", ["samples.v1.json"]],
  ["tailgate help expl", ["explain"]],
  ["tailgate completion z", ["zsh"]],
  ["tailgate doctor --quie", ["--quiet"]],
];

test.for(Object.keys(SHELLS).flatMap((shell) => CASES.map((one) => [shell, ...one] as const)))(
  "%s completes %j",
  ([shell, line, words], context) => {
    expect(completed(shell, line, context)).toEqual(words);
  },
);
