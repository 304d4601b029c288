// The few facts of other tools' manifests that `init` goes by. Pure, and forgiving: what is not
// understood is as if absent.

export interface CargoFacts {
  /** Null: a workspace without a package of its own. */
  package: string | null;
  /** Names under [[bin]]. */
  binaries: string[];
  workspace: boolean;
}

/** Cargo.toml, read line by line: only plain `name = "…"` under [package] and [[bin]] matters. */
export function parseCargoManifest(text: string): CargoFacts {
  const facts: CargoFacts = { package: null, binaries: [], workspace: false };
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\s*(\[\[?)\s*([\w.-]+)\s*\]\]?/.exec(line);
    if (header !== null) section = `${header[1]}${header[2]}`;
    if (/^\[workspace\b/.test(section)) facts.workspace = true;
    const name = /^\s*name\s*=\s*["']([\w-]+)["']/.exec(line)?.[1];
    if (name === undefined) continue;
    if (section === "[package") facts.package = name;
    if (section === "[[bin") facts.binaries.push(name);
  }
  return facts;
}

/** The name a module's program gets: the last element of its path that is not a version. */
export function parseGoModule(text: string): string | null {
  const path = /^\s*module\s+"?([^\s"]+)"?/m.exec(text)?.[1];
  return path?.split("/").findLast((element) => !/^v\d+$/.test(element)) ?? null;
}

export interface PackageFacts {
  /** Without its scope. */
  name: string | null;
  /** Null: it has no start script. */
  start: string | null;
  builds: boolean;
  /** Whether it names packages that it cannot run without. */
  needsInstall: boolean;
}

/** package.json; null when it is none. */
export function parsePackageManifest(text: string): PackageFacts | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const scripts = member(value, "scripts");
  const start = member(scripts, "start");
  const packages = member(value, "dependencies");
  const name = member(value, "name");
  return {
    name: typeof name === "string" ? (name.split("/").at(-1) ?? null) : null,
    start: typeof start === "string" ? start : null,
    builds: typeof member(scripts, "build") === "string",
    needsInstall:
      typeof packages === "object" && packages !== null && Object.keys(packages).length > 0,
  };
}

function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
