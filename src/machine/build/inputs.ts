// Which part of the repository a service's build reads. The cache is keyed by it: too much costs a
// rebuild, too little would measure old code. Where the recipe lists its inputs the build is given
// nothing else, so that a list which is too short fails the build. Where it does not, every sign of
// reaching out counts.
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Recipe } from "../../core/model/config.ts";
import type { Git } from "./git.ts";
import { inputMatcher } from "./input-patterns.ts";
import { type Entry, listEntries, objectAt, type Revision, readFileAt } from "./source.ts";

export interface Inputs {
  /** The service's folder, or `.` for the whole repository. */
  path: string;
  /** Why the whole repository counts; null when it does not. */
  reason: string | null;
  /** The files that the recipe lists, which are all that is there; null: it lists none. */
  listed: readonly Entry[] | null;
}

/**
 * Files that tools look for in the folders above the one they work in, and what in them makes them
 * matter.
 */
const FOUND_ABOVE: readonly { name: string; matters: RegExp }[] = [
  { name: "Cargo.toml", matters: /^\s*\[workspace/m },
  { name: "package.json", matters: /"workspaces"/ },
  ..."rust-toolchain rust-toolchain.toml .cargo/config.toml .cargo/config go.work pnpm-workspace.yaml settings.gradle settings.gradle.kts Directory.Build.props Directory.Build.targets Directory.Packages.props"
    .split(" ")
    .map((name) => ({ name, matters: /./ })),
];

/** What tools obey in a folder above theirs, whoever put it there. */
export const OBEYED_ABOVE: readonly string[] = [
  ...FOUND_ABOVE.map(({ name }) => name),
  ..."node_modules .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs .mvn .tool-versions .nvmrc .node-version .python-version .ruby-version .java-version mise.toml .mise.toml .mise mise .config go.mod pyproject.toml uv.toml Gemfile gems.rb .bundle Rakefile global.json NuGet.config nuget.config NuGet.Config tsconfig.json turbo.json .browserslistrc MODULE.bazel WORKSPACE .bazelrc deno.json Package.swift cabal.project stack.yaml justfile Justfile .justfile Taskfile.yml".split(
    " ",
  ),
];

/** Manifests in the service's folder that can mean the folder above it without a path to a file. */
const REACHING_OUT: readonly { name: string; reaches: RegExp }[] = [
  { name: "Cargo.toml", reaches: /\b(path|workspace)\s*=\s*["']\.\.["']/ },
  { name: "pom.xml", reaches: /<parent>(?![\s\S]*<relativePath>)/ },
];

/** For people, or for tools that make nothing of what is measured. */
const ASIDE = /\.md$|(^|[/._-])(tests?|__tests__|specs?|e2e|jest|eslint\w*|prettier\w*)([/._-]|$)/;
/** Prints each path that climbs, after the file that has it. */
const CLIMBING =
  "grep --no-color --no-line-number --no-column -ozIE (^|[^.])([.][.][/\\\\])+([.][.])?".split(" ");

/** git's mode of a symbolic link. */
const LINK = "120000";

/** Two dots that stand alone, unlike those of `./...` and `a..b`. */
const NAMES_ABOVE = /(^|[^\w.])\.\.([^\w.]|$)/;

/** Not seen: a source file that puts a path to outside the folder together. */
export async function findInputs(git: Git, revision: Revision, recipe: Recipe): Promise<Inputs> {
  const every = await listEntries(git, revision, ".", "all");
  if (recipe.inputs !== undefined) {
    const isInput = inputMatcher(recipe.inputs);
    return { path: ".", reason: null, listed: every.filter(({ path }) => isInput(path)) };
  }
  const all = (reason: string | null): Inputs => ({ path: ".", reason, listed: null });
  if (recipe.dir === ".") return all(null);
  const out = await leadsOut(git, revision, recipe.dir, [...recipe.build, recipe.artifact ?? ""]);
  if (out !== null) return all(out);
  const paths = new Set(every.map(({ path }) => path));
  const says = async (path: string, what: RegExp): Promise<boolean> =>
    paths.has(path) && what.test((await readFileAt(git, revision, path)) ?? "");
  for (const { name, reaches } of REACHING_OUT) {
    const path = `${recipe.dir}/${name}`;
    if (await says(path, reaches)) return all(`${path} names a folder above its own`);
  }
  for (const folder of foldersAbove(recipe.dir)) {
    const module = join(folder, "go.mod");
    if (paths.has(module) && !paths.has(`${recipe.dir}/go.mod`)) return all(`${module} applies`);
    for (const { name, matters } of FOUND_ABOVE) {
      const path = join(folder, name);
      if (await says(path, matters)) return all(`${path} applies`);
    }
  }
  return { path: recipe.dir, reason: null, listed: null };
}

/**
 * Why what is made from a folder, by such words, may be made from others too; null: nothing says so.
 */
export async function leadsOut(
  git: Git,
  revision: Pick<Revision, "tree" | "objects">,
  folder: string,
  words: readonly string[] = [],
): Promise<string | null> {
  if (folder === ".") return null;
  // A word may be a script: `sh -c "cp ../shared/x ."`.
  if (words.some((word) => NAMES_ABOVE.test(word))) {
    return "its recipe names a folder above its own";
  }
  for (const { mode, id, path } of await listEntries(git, revision, ".", "all")) {
    if (mode !== LINK || !`${path}/`.startsWith(`${folder}/`)) continue;
    const target = await git.read(["cat-file", "blob", id], { env: revision.objects });
    const depth = path.split("/").length - folder.split("/").length;
    if (target.startsWith("/") || climbs(target, depth)) {
      return `the link ${path} leads out of its folder`;
    }
  }
  const climber = await findClimber(git, revision, folder);
  return climber === undefined ? null : `${folder}/${climber} names a folder above its own`;
}

/** Whether a path has as many steps up as the file that holds it is deep in a folder: it leads out. */
const climbs = (path: string, depth: number): boolean => path.split("..").length > depth;

/** A file that holds a path which leads out of the folder. */
async function findClimber(
  git: Git,
  revision: Pick<Revision, "tree" | "objects">,
  folder: string,
): Promise<string | undefined> {
  const tree = await objectAt(git, revision, folder);
  if (tree === null) return undefined;
  const found = (await git.tryRead([...CLIMBING, tree], { env: revision.objects })) ?? "";
  const lines = found.split("\n").map((line) => /^\w+:(.*)\0(.*)$/.exec(line) ?? []);
  // Paths of a script, and of a file of SQL, are seen from where it runs.
  const depthOf = (path: string): number => (/\.(sh|sql)$/.test(path) ? 1 : path.split("/").length);
  const isOut = ([, path = "", steps = ""]: string[]): boolean =>
    climbs(steps, depthOf(path)) && !ASIDE.test(path);
  return lines.find(isOut)?.[1];
}

/** Equal ids are equal contents of equal files; null: there are none. */
export async function inputsId(
  git: Git,
  revision: Revision,
  { path, listed }: Inputs,
): Promise<string | null> {
  if (listed === null) return objectAt(git, revision, path);
  if (listed.length === 0) return null;
  const lines = listed.map(({ mode, id, path: name }) => [mode, id, name]);
  return `listed ${createHash("sha256").update(JSON.stringify(lines)).digest("hex")}`;
}

/** `a/b` -> `a`, `.` */
export function foldersAbove(path: string): string[] {
  if (path === ".") return [];
  const parts = path.split("/");
  return parts.map((_, i) => parts.slice(0, parts.length - 1 - i).join("/") || ".");
}
