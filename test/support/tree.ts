import type { Tree } from "../../satellites/init/tree.ts";

/** A repository that exists only in memory. */
export function treeOf(files: Readonly<Record<string, string>>): Tree {
  const depth = (path: string): number => path.split("/").length;
  return {
    paths: Object.keys(files).sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)),
    read: (path) => (Object.hasOwn(files, path) ? (files[path] ?? "") : ""),
  };
}
