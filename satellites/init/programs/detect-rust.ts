// Cargo packages with a binary -> programs. Pure.

import { ancestorsOf, baseOf, folderOf, isUnder, joined } from "../paths.ts";
import { PLAIN_PROGRAM, type Program } from "../proposal.ts";
import type { Tree } from "../tree.ts";
import { parseCargoManifest } from "./parse-manifest.ts";
import { likeliestServer } from "./serving-name.ts";

const FRAMEWORKS = ["axum", "actix-web", "rocket", "warp", "poem", "salvo", "hyper", "tiny_http"];
const LISTENS = /\b(?:TcpListener|Server)::(?:try_)?bind\(/;

export function detectRust(tree: Tree): Program[] {
  return tree.paths
    .filter((path) => baseOf(path) === "Cargo.toml")
    .flatMap((path) => programOf(tree, folderOf(path)));
}

function programOf(tree: Tree, dir: string): Program[] {
  const manifest = manifestOf(tree, dir);
  const at = (path: string): string => joined(dir, path) ?? path;
  const binaries = [
    ...manifest.binaries,
    ...tree.paths.filter((path) => folderOf(path) === at("src/bin")).map(withoutEnding),
  ];
  const hasMain = tree.paths.includes(at("src/main.rs"));
  if (manifest.package === null || (binaries.length === 0 && !hasMain)) return [];
  const artifact =
    manifest.binaries.length === 0 && hasMain
      ? manifest.package
      : (likeliestServer(binaries) ?? manifest.package);
  const { dirs, packages } = closureOf(tree, dir);
  const own = tree.paths.filter((path) => dirs.some((one) => isUnder(path, sourceFolder(one))));
  const others = binaries
    .filter((name) => name !== artifact)
    .map((name) => at(`src/bin/${name}.rs`));
  const sources = own.filter((path) => path.endsWith(".rs") && !others.includes(path));
  const framework = FRAMEWORKS.find((name) => packages.includes(name)) ?? null;

  // Members of a workspace share its target folder.
  const home = ancestorsOf(dir).find((folder) => manifestOf(tree, folder).workspace) ?? dir;
  const isLocked = tree.paths.includes(joined(home, "Cargo.lock") ?? "");
  const member = home === dir ? "" : ` --package ${manifest.package}`;
  return [
    {
      ...PLAIN_PROGRAM,
      language: "rust",
      name: manifest.package,
      dir: home,
      home: dir,
      framework,
      // Clients use hyper, too.
      serves:
        (framework !== null && framework !== "hyper") ||
        sources.some((path) => LISTENS.test(tree.read(path))),
      build: `cargo build --release${isLocked ? " --locked" : ""}${member}`,
      artifact: `target/release/${artifact}`,
      packages,
      sources,
      // Rocket reads it whatever its file says.
      frameworkPort:
        framework === "rocket"
          ? { kind: "variable", name: "ROCKET_PORT", form: "port", seenIn: null }
          : null,
    },
  ];
}

function manifestOf(tree: Tree, dir: string) {
  return parseCargoManifest(tree.read(joined(dir, "Cargo.toml") ?? ""));
}

function sourceFolder(dir: string): string {
  return joined(dir, "src") ?? dir;
}

function withoutEnding(path: string): string {
  return baseOf(path).replace(/\.rs$/, "");
}

/** The package and those of this repository that it is built with. */
function closureOf(tree: Tree, start: string): { dirs: string[]; packages: string[] } {
  const dirs = [start];
  const packages = new Set<string>();
  for (const dir of dirs) {
    for (const { name, path } of manifestOf(tree, dir).dependencies) {
      packages.add(name);
      const inner = path === null ? null : joined(dir, path);
      if (inner !== null && !dirs.includes(inner)) dirs.push(inner);
    }
  }
  return { dirs, packages: [...packages] };
}
