// The few facts of other tools' manifests that `init` goes by. Pure, and forgiving: what is not
// understood is as if absent.
import { tryJson } from "../../../src/core/base/try-json.ts";
import { recordOf } from "../parse-samples.ts";

interface CargoFacts {
  /** Null: a workspace without a package of its own. */
  package: string | null;
  /** Names under [[bin]]. */
  binaries: string[];
  workspace: boolean;
  /** Crates under any of the dependencies, with the folder of those that lie in the repository. */
  dependencies: { name: string; path: string | null }[];
}

/** Cargo.toml, read line by line: only plain `name = …` under a few headers matters. */
export function parseCargoManifest(text: string): CargoFacts {
  const facts: CargoFacts = { package: null, binaries: [], workspace: false, dependencies: [] };
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\s*(\[\[?)\s*([\w.-]+)\s*\]\]?/.exec(line);
    if (header !== null) section = `${header[1]}${header[2]}`;
    if (/^\[workspace\b/.test(section)) facts.workspace = true;
    const crate = /^\[(?:.*\.)?dependencies\.([\w-]+)$/.exec(section)?.[1];
    if (header !== null && crate !== undefined) {
      facts.dependencies.push({ name: crate, path: null });
    } else if (/^\[(?:target\..*\.)?dependencies$/.test(section)) {
      const [, name, rest = ""] = /^\s*([\w-]+)(?:\.workspace)?\s*=(.*)$/.exec(line) ?? [];
      const path = /\bpath\s*=\s*["']([^"']+)["']/.exec(rest)?.[1] ?? null;
      if (name !== undefined) facts.dependencies.push({ name, path });
    }
    const name = /^\s*name\s*=\s*["']([\w-]+)["']/.exec(line)?.[1];
    if (name === undefined) continue;
    if (section === "[package") facts.package = name;
    if (section === "[[bin") facts.binaries.push(name);
  }
  return facts;
}

/** The path of a Go module; null: the text is no go.mod. */
export function parseGoModule(text: string): string | null {
  return /^\s*module\s+"?([^\s"]+)"?/m.exec(text)?.[1] ?? null;
}

/** The name a module's program gets: the last element of its path that is not a version. */
export function programOfModule(module: string): string {
  return module.split("/").findLast((element) => !/^v\d+$/.test(element)) ?? module;
}

export interface PackageFacts {
  /** Without its scope. */
  name: string | null;
  scripts: Readonly<Record<string, string>>;
  main: string | null;
  /** Packages that it cannot run without. */
  dependencies: string[];
  /** Those and the ones that it is built with. */
  packages: string[];
}

/** package.json; null when it is none. */
export function parsePackageManifest(text: string): PackageFacts | null {
  const value = tryJson(text);
  if (typeof value !== "object" || value === null) return null;
  const { name, main, scripts, dependencies, devDependencies } = recordOf(value);
  const needed = Object.keys(recordOf(dependencies));
  return {
    name: typeof name === "string" ? (name.split("/").at(-1) ?? null) : null,
    scripts: Object.fromEntries(
      Object.entries(recordOf(scripts)).filter(
        (one): one is [string, string] => typeof one[1] === "string",
      ),
    ),
    main: typeof main === "string" ? main : null,
    dependencies: needed,
    packages: [...needed, ...Object.keys(recordOf(devDependencies))],
  };
}

const OPTIONAL = /^\[project\.optional-dependencies\]\n(?:(?!\[[a-z]).*\n?)*/m;

/** Names of Python packages in requirements.txt, pyproject.toml or a Pipfile, in lower case. */
export function parsePythonRequirements(whole: string): string[] {
  const text = whole.replace(OPTIONAL, "");
  const lines = [
    ...text.matchAll(/^\s*["']?([A-Za-z][\w.-]*)(?:\[([\w, -]*)\])?\s*(?=[=<>~!;"',#\s]|$)/gm),
  ];
  const quoted = [...text.matchAll(/["']([A-Za-z][\w.-]*)(?:\[([\w, -]*)\])?\s*(?=[=<>~!;"'])/g)];
  return [
    ...new Set(
      [...lines, ...quoted].flatMap(([, name = "", extras]) => [
        name.toLowerCase().replaceAll("_", "-"),
        ...(extras === undefined ? [] : [`${name.toLowerCase()}[${extras}]`]),
      ]),
    ),
  ];
}

/** Files that a requirements.txt includes: `-r base.txt`. */
export function parseIncludes(text: string): string[] {
  return [...text.matchAll(/^\s*(?:-r|--requirement)[\s=]*([^\s#]+)/gm)].map(
    ([, path = ""]) => path,
  );
}

export interface JavaBuildFacts {
  /** Null: the folder's. */
  name: string | null;
  version: string | null;
  /** The jar's name without its ending, where the build sets it. */
  finalName: string | null;
  packages: string[];
}

/** pom.xml: its own coordinates, not those of its parent or of what it depends on. */
export function parsePom(text: string): JavaBuildFacts {
  const own = text
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<(dependencies|dependencyManagement|profiles|plugins)>[\s\S]*?<\/\1>/g, "");
  const withoutParent = own.replace(/<parent>[\s\S]*?<\/parent>/, "");
  const tag = (name: string, from: string): string | null =>
    new RegExp(`<${name}>\\s*([\\w.-]+)\\s*</${name}>`).exec(from)?.[1] ?? null;
  return {
    name: tag("artifactId", withoutParent),
    version: tag("version", withoutParent) ?? tag("version", own),
    finalName: tag("finalName", withoutParent),
    packages: [...text.matchAll(/<artifactId>\s*([\w.-]+)\s*<\/artifactId>/g)].map(
      ([, name = ""]) => name,
    ),
  };
}

/** build.gradle or build.gradle.kts, with the settings of its project. */
export function parseGradle(text: string, settings: string): JavaBuildFacts {
  return {
    name: /rootProject\.name\s*=\s*["']([\w.-]+)["']/.exec(settings)?.[1] ?? null,
    version: /^\s*version\s*=?\s*["']([\w.-]+)["']/m.exec(text)?.[1] ?? null,
    finalName: null,
    packages: [...text.matchAll(/["']([\w.-]+):([\w.-]+)(?::[\w.$-]+)?["']/g)].map(
      ([, , name = ""]) => name,
    ),
  };
}
