// How a program learns its port, from all that speaks of it: likeliest evidence first. Pure.
import { fixedPort, portInSettings, portVariable, portWords, variablesIn } from "./parse-port.ts";
import type { Samples } from "./parse-samples.ts";
import { isUnder } from "./paths.ts";
import type { PortWay, Program } from "./proposal.ts";
import { withoutComments } from "./source-text.ts";
import type { Tree } from "./tree.ts";

/** `config.prod.toml`, `configuration/base.yaml` */
const SETTINGS =
  /(?:^|\/)(?:(?:config|settings|app|application|server|default)(?:[.-]\w+)?|(?:conf|configs?|configuration|settings)\/(?:base|common|defaults?|local|dev|development))\.(?:toml|ya?ml|json|ini)$/i;

export function findPort(program: Program, tree: Tree, samples: Samples): PortWay {
  const { frameworkPort, language } = program;
  if (frameworkPort !== null) return frameworkPort;
  const texts = program.sources.map((path) => ({
    path,
    text: withoutComments(tree.read(path), language),
  }));
  const first = (look: (text: string, path: string) => PortWay | null): PortWay | null => {
    for (const { path, text } of texts) {
      const found = look(text, path);
      if (found !== null) return found;
    }
    return null;
  };
  return (
    fromSources(texts) ??
    first((text, path) => portWords(text, language, path)) ??
    first((text, path) => fixedPort(text, language, path)) ??
    fromSamples(samples) ??
    inSettings(program, tree) ??
    exposed(samples) ?? { kind: "variable", name: "PORT", form: "port", seenIn: null }
  );
}

/** The likeliest of all that any source reads. */
function fromSources(texts: readonly { path: string; text: string }[]): PortWay | null {
  const read = texts.flatMap(({ path, text }) => variablesIn(text).map((name) => ({ name, path })));
  const found = portVariable(
    read.map(({ name }) => name),
    null,
  );
  if (found?.kind !== "variable") return null;
  return { ...found, seenIn: read.find(({ name }) => name === found.name)?.path ?? null };
}

function fromSamples({ variables }: Samples): PortWay | null {
  const found = portVariable([...variables.keys()], null);
  if (found?.kind !== "variable") return null;
  return { ...found, seenIn: variables.get(found.name)?.seenIn ?? null };
}

/** A file of settings in the folders of the program's sources, or above them. */
function inSettings({ dir }: Program, tree: Tree): PortWay | null {
  for (const path of tree.paths) {
    if (!isUnder(path, dir) || !SETTINGS.test(path)) continue;
    const found = portInSettings(tree.read(path), path);
    if (found !== null) return found;
  }
  return null;
}

function exposed({ ports: [first] }: Samples): PortWay | null {
  return first === undefined ? null : { kind: "fixed", port: first.port, seenIn: first.seenIn };
}
