// Paths in a repository: relative to its root, `.` for the root itself. Pure.

export function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `dir` and `path`, with `.` and `..` resolved; null: it leaves the repository. */
export function joined(dir: string, path: string): string | null {
  const parts: string[] = [];
  for (const part of `${dir}/${path}`.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/") || ".";
}

export function isUnder(path: string, dir: string): boolean {
  return dir === "." || path.startsWith(`${dir}/`);
}

/** The paths under `dir` that lie in none of `dirs` inside it. */
export function ownPaths(
  paths: readonly string[],
  dir: string,
  dirs: readonly string[],
): readonly string[] {
  const inner = dirs.filter((other) => other !== dir && isUnder(other, dir));
  return paths.filter((path) => isUnder(path, dir) && !inner.some((one) => isUnder(path, one)));
}

/** `path` as seen from `dir`, which it is under. */
export function fromDir(path: string, dir: string): string {
  return dir === "." ? path : path.slice(dir.length + 1);
}

/** From `dir` to a folder above it: `../..`; `.` for itself. */
export function wayUp(dir: string, above: string): string {
  return dir === above ? "." : fromDir(dir, above).replace(/[^/]+/g, "..");
}

/** `base`, or with a number behind it where that is used; used from now on. */
export function unusedName(base: string, used: Set<string>): string {
  let name = base;
  for (let i = 2; used.has(name); i++) name = `${base}-${i}`;
  used.add(name);
  return name;
}

/** The folders above, nearest first, the root last. */
export function ancestorsOf(dir: string): string[] {
  return dir === "." ? [] : [folderOf(dir), ...ancestorsOf(folderOf(dir))];
}

/** The file `name` in this folder or the nearest one above; null: there is none. */
export function nearestFile(
  paths: ReadonlySet<string>,
  dir: string,
  names: readonly string[],
): string | null {
  for (const folder of [dir, ...ancestorsOf(dir)]) {
    for (const name of names) {
      const path = joined(folder, name);
      if (path !== null && paths.has(path)) return path;
    }
  }
  return null;
}
