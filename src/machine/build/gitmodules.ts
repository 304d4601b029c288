// Which folders are submodules, and how they are called: by that name git finds a submodule wherever a
// version has it. A repository in a folder that has no name there is somebody's clone.
import type { Git, GitCommand } from "./git.ts";

/**
 * Names by paths. `where`: the words for `git config` that tell which `.gitmodules`. Names and paths
 * that lead elsewhere are none, as for git.
 */
export async function listSubmodules(
  git: Git,
  where: readonly string[],
  env: GitCommand["env"] = {},
): Promise<Map<string, string>> {
  const words = ["config", ...where, "-z", "--get-regexp", "^submodule[.].*[.]path$"];
  const listed = (await git.tryRead(words, { env })) ?? "";
  const found = listed.split("\0").flatMap((line) => {
    const [, name, path] = /^submodule[.](.*)[.]path\n(.*)$/s.exec(line) ?? [];
    if (name === undefined || path === undefined) return [];
    return `${name}/${path}`.split("/").includes("..") ? [] : [[path, name] as const];
  });
  return new Map(found);
}
