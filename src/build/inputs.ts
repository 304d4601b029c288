// Which part of the repository a service's build reads, as far as it can be told from the outside. The cache is keyed by it:
// too much costs a rebuild, too little would measure old code, so every sign of reaching out counts.
import type { Recipe } from "../model/config.ts";
import type { Git } from "./git.ts";
import { listFolder, type Revision, readFileAt } from "./source.ts";

export interface Inputs {
  /** The service's folder, or `.` for the whole repository. */
  path: string;
  /** Why the whole repository counts; null when it does not. */
  reason: string | null;
}

/** Files that tools look for in the folders above the one they work in, and what in them makes them matter. */
const FOUND_ABOVE: readonly { name: string; matters: RegExp }[] = [
  { name: "Cargo.toml", matters: /^\s*\[workspace/m },
  { name: "rust-toolchain", matters: /./ },
  { name: "rust-toolchain.toml", matters: /./ },
  { name: ".cargo/config.toml", matters: /./ },
  { name: ".cargo/config", matters: /./ },
  { name: "go.work", matters: /./ },
  { name: "package.json", matters: /"workspaces"/ },
  { name: "pnpm-workspace.yaml", matters: /./ },
  { name: "settings.gradle", matters: /./ },
  { name: "settings.gradle.kts", matters: /./ },
];

/** Manifests in the service's folder that can name folders above it. */
const REACHING_OUT: readonly { name: string; reaches: RegExp }[] = [
  { name: "Cargo.toml", reaches: /\bpath\s*=\s*["']\.\.\// },
  { name: "Cargo.toml", reaches: /\bworkspace\s*=\s*["']\.\./ },
  { name: "go.mod", reaches: /=>\s*\.\.\// },
  { name: "package.json", reaches: /"(file|link|portal):\.\.\// },
  { name: "pom.xml", reaches: /<relativePath>\s*\.\.\/|<parent>(?![\s\S]*<relativePath>)/ },
];

/** Not seen: a source file that includes one from outside the folder by itself. */
export async function findInputs(git: Git, revision: Revision, recipe: Recipe): Promise<Inputs> {
  const all = (reason: string): Inputs => ({ path: ".", reason });
  if (recipe.dir === ".") return { path: ".", reason: null };
  if ([...recipe.build, recipe.artifact ?? ""].some((word) => /(^|[/=])\.\.(\/|$)/.test(word))) {
    return all("its recipe names a folder above its own");
  }
  const own = new Set(await listFolder(git, revision, recipe.dir));
  for (const { name, reaches } of REACHING_OUT) {
    const path = `${recipe.dir}/${name}`;
    if (own.has(name) && reaches.test((await readFileAt(git, revision, path)) ?? "")) {
      return all(`${path} names a folder above its own`);
    }
  }
  for (const folder of foldersAbove(recipe.dir)) {
    const names = new Set(await listFolder(git, revision, folder === "" ? "." : folder));
    if (names.has("go.mod") && !own.has("go.mod")) return all(`${folder}go.mod applies`);
    for (const { name, matters } of FOUND_ABOVE) {
      const path = `${folder}${name}`;
      if (!names.has(name.replace(/\/.*/, ""))) continue;
      if (matters.test((await readFileAt(git, revision, path)) ?? ""))
        return all(`${path} applies`);
    }
  }
  return { path: recipe.dir, reason: null };
}

/** `a/b/c` -> `a/b/`, `a/`, and the root as an empty string. */
function foldersAbove(dir: string): string[] {
  const parts = dir.split("/").slice(0, -1);
  return [...parts.map((_, i) => `${parts.slice(0, parts.length - i).join("/")}/`), ""];
}
