// How a program learns its port, from all that speaks of it: likeliest evidence first. Pure.
import type { Evidence } from "./find-needs.ts";
import { fixedPort, portInSettings, portVariable, portWords, variablesIn } from "./parse-port.ts";
import { isUnder } from "./paths.ts";
import type { PortWay, Program } from "./proposal.ts";
import type { Tree } from "./tree.ts";

const ENDING = /\.(?:toml|ya?ml|json|ini)$/i;
/** `config.prod.toml` */
const SETTINGS = /(?:^|\/)(?:config|settings|app|application|server|default)(?:[.-]\w+)?$/i;
/** `configuration/base.yaml` */
const SETTINGS_FOLDER =
  /(?:^|\/)(?:conf|configs?|configuration|settings)\/(?:base|common|defaults?|local|dev|development)$/i;

function hasSettings(path: string): boolean {
  if (!ENDING.test(path)) return false;
  const stem = path.replace(ENDING, "");
  return SETTINGS.test(stem) || SETTINGS_FOLDER.test(stem);
}

export function findPort(
  { frameworkPort, language, dir, run }: Program,
  tree: Tree,
  { files, samples, containers }: Evidence,
): PortWay {
  if (frameworkPort !== null) return frameworkPort;
  const read = files.flatMap(({ path, text }) =>
    variablesIn(text).map((name) => ({ name, seenIn: path })),
  );
  const given = [...samples].map(([name, { seenIn }]) => ({ name, seenIn }));
  const inFiles = (look: typeof portWords): PortWay | null =>
    firstOf(files, ({ path, text }) => {
      const found = look(text, language, path);
      // Its first argument is the name of a command.
      const isArgument = found?.kind === "words" && found.words.length === 1;
      return isArgument && language !== "node" && Array.isArray(run) ? null : found;
    });
  const settings = tree.paths.filter((path) => isUnder(path, dir) && hasSettings(path));
  return (
    portVariable(read) ??
    portVariable(given) ??
    inFiles(portWords) ??
    inFiles(fixedPort) ??
    firstOf(settings, (path) => portInSettings(tree.read(path), path)) ??
    firstOf(containers, ({ port, seenIn }) =>
      port === null ? null : { kind: "fixed", port, seenIn },
    ) ?? { kind: "variable", name: "PORT", form: "port", seenIn: null }
  );
}

function firstOf<T>(all: readonly T[], look: (one: T) => PortWay | null): PortWay | null {
  for (const one of all) {
    const found = look(one);
    if (found !== null) return found;
  }
  return null;
}
