// The words with which a program serves, where it does something else without them: its container's,
// or the name of one of its own commands. Pure.
import { anyOf, as, code, findAll, findFirst, oneOf, QUOTE } from "./code-pattern.ts";
import type { Evidence } from "./find-needs.ts";
import { startedBy } from "./parse-container.ts";
import { baseOf, fromDir, isUnder, joined } from "./paths.ts";
import { forProduction } from "./programs/detect-node.ts";
import { parsePackageManifest } from "./programs/parse-manifest.ts";
import type { Language, Program } from "./proposal.ts";
import { closingIndex, type SourceFile } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** Likeliest first. */
const NAMES = ["serve", "server", "start", "run-server", "runserver", "web", "run"];
const NAME = as("name", anyOf(...NAMES));
const PATTERNS: Partial<Record<Language, readonly RegExp[]>> = {
  go: [
    // cobra, urfave/cli
    code`Use: "${NAME}${/[" ]/}`,
    code`Name: "${NAME}" ,${/[^{}]{0,400}/}Action:`,
  ],
  rust: [code`${oneOf("Command::new Command::with_name SubCommand::with_name")}( "${NAME}" )`],
};
/** What a program compares its first argument with. */
const COMPARED = code`case ${QUOTE}${NAME}${QUOTE} ${/[,:]/}`;
const FIRST_ARGUMENT = /\bos\.Args\[1\]|\bflag\.Arg\(0\)|\bswitch [\w.]*(?:[cC]ommand|[cC]md)\b/;
/** `enum Command { Serve { … }, Migrate }` of clap */
const COMMANDS = code`Subcommand${/[^{]{0,300}?\benum\s+\w+\s*/}{`;
const VARIANT = code`${/^\s*/}${as("name", oneOf("Serve Server Start RunServer Web Run"))} ${/[,({}]/}`;

export function withItsCommand(
  program: Program,
  tree: Tree,
  { files, containers }: Omit<Evidence, "samples">,
): Program {
  const [first = "", ...rest] = startedBy(containers);
  const { language, run, artifact, home } = program;
  if (language === "node") {
    const [, script] = /^npm (?:run )?(\S+)$/.exec(String(run)) ?? [];
    const words = forProduction(rest.map((word) => fromHome(word, home)));
    if (script === undefined || first !== "node" || words.length === 0) return program;
    const manifest = parsePackageManifest(tree.read(joined(home, "package.json") ?? ""));
    // What npm runs before the script would be left out.
    const hasStepBefore = manifest?.scripts[`pre${script}`] !== undefined;
    return hasStepBefore ? program : withRun(program, ["node", ...words]);
  }
  if (artifact === null || run !== null) return program;
  const words = [baseOf(artifact), "app", "main", "server"].includes(baseOf(first))
    ? rest.filter((word, i) => isHere(word) && !(word.startsWith("-") && !isHere(rest[i + 1])))
    : commandIn(files, language);
  return words.length === 0 ? program : withRun(program, ["{artifact}", ...words]);
}

/** Where it lies in its image is not where it lies here: there it may be the whole repository. */
function fromHome(word: string, home: string): string {
  const here = word.replace(/^\/(?:usr\/src\/)?\w+\//, "");
  const path = home === "." || here.startsWith("-") ? null : joined(".", here);
  return path !== null && isUnder(path, home) ? fromDir(path, home) : here;
}

/** No file that only its image has, such as `/etc/x` or `--config=/etc/x`. */
function isHere(word = ""): boolean {
  return !/^(?:-[\w-]+=)?\/\w/.test(word);
}

function withRun(program: Program, run: readonly string[]): Program {
  const isTold = run.some((word) => word.includes("{port}"));
  const frameworkPort = isTold ? ({ kind: "run" } as const) : program.frameworkPort;
  return { ...program, run, frameworkPort, compiles: null };
}

/** The likeliest of its own commands; empty: it has none that serves. */
function commandIn(files: readonly SourceFile[], language: Language): string[] {
  const found = new Set(files.flatMap(({ text }) => namesIn(text, language)));
  return NAMES.filter((name) => found.has(name)).slice(0, 1);
}

function namesIn(text: string, language: Language): string[] {
  const compared = language === "go" && FIRST_ARGUMENT.test(text) ? [COMPARED] : [];
  const named = [...(PATTERNS[language] ?? []), ...compared].flatMap((one) => findAll(text, one));
  const commands = language === "rust" ? findFirst(text, COMMANDS) : undefined;
  const open = (commands?.end ?? 0) - 1;
  const body =
    commands === undefined ? "" : text.slice(open, closingIndex(text, open, language) + 1);
  return [...named, ...findAll(body, VARIANT)].map(({ groups: { name = "" } }) =>
    name.replace(/(?<=[a-z])(?=[A-Z])/g, "-").toLowerCase(),
  );
}
