// The repository behind the fake GitHub: git's own objects and refs, in memory or in a bare repository
// on disk, where git reads what came over the API and the API what git has pushed. No git is started.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { deflateSync, inflateSync } from "node:zlib";

interface TreeChange {
  path: string;
  mode: string;
  /** New text, or null to delete. */
  content: string | null;
}

/** What a tree names; `path` is in the tree that was asked for. */
interface Entry {
  mode: string;
  type: "blob" | "tree";
  sha: string;
  path: string;
}

/** Names to contents: objects by their sha, each with git's header, and refs by their whole names. */
interface Shelf {
  object(sha: string): Buffer | null;
  keep(sha: string, object: Buffer): void;
  ref(name: string): string | null;
  point(name: string, sha: string): void;
}

const TREE_MODE = "40000";
const IDENTITY = {
  author: "github-actions[bot] <bot@example.invalid>",
  committer: "GitHub <noreply@example.invalid>",
};

export class GitStore {
  readonly #shelf: Shelf;

  /**
   * `directory`: of a bare repository whose objects are loose; absent: in memory. `branches` are made
   * at the start: their files' texts by path.
   */
  constructor(
    directory: string | undefined,
    branches: Readonly<Record<string, Readonly<Record<string, string>>>>,
  ) {
    this.#shelf = directory === undefined ? inMemory() : onDisk(directory);
    for (const [name, files] of Object.entries(branches)) {
      const commit = commitText(this.#treeOf(files), [], `${name} as seeded`);
      this.#shelf.point(`refs/heads/${name}`, this.#write("commit", commit));
    }
  }

  /** Commit of a branch, a tag, or a whole sha; null where there is none. */
  commitOf(ref: string): string | null {
    if (/^[0-9a-f]{40}$/.test(ref)) return this.commit(ref) === null ? null : ref;
    const names = ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`];
    return names.map((name) => this.#shelf.ref(name)).find((sha) => sha !== null) ?? null;
  }

  commit(sha: string) {
    const text = this.#read("commit", sha)?.toString("utf8");
    if (text === undefined) return null;
    const end = text.indexOf("\n\n");
    const head = text.slice(0, end);
    const parents = [...head.matchAll(/^parent (.+)$/gm)].map(([, parent = ""]) => parent);
    const [, tree = ""] = /^tree (.+)$/m.exec(head) ?? [];
    return { sha, tree, parents, message: text.slice(end + 2) };
  }

  /** Every file of a ref, a commit or a tree; null where there is none. */
  files(treeish: string): Entry[] | null {
    const entries = this.entries(treeish);
    return (
      entries?.flatMap((one) =>
        one.type === "blob"
          ? [one]
          : (this.files(one.sha) ?? []).map((file) => ({
              ...file,
              path: `${one.path}/${file.path}`,
            })),
      ) ?? null
    );
  }

  /** What lies directly in a ref, a commit or a tree; null where there is none. */
  entries(treeish: string): Entry[] | null {
    const commit = this.commit(this.commitOf(treeish) ?? "");
    const data = this.#read("tree", commit?.tree ?? treeish);
    if (data === null) return null;
    const entries: Entry[] = [];
    for (let at = 0; at < data.length; ) {
      const end = data.indexOf(0, at);
      const [mode = "", ...name] = data.toString("utf8", at, end).split(" ");
      at = end + 21;
      const type = mode === TREE_MODE ? "tree" : "blob";
      entries.push({ mode, type, sha: data.toString("hex", end + 1, at), path: name.join(" ") });
    }
    return entries;
  }

  /** What a path leads to at a commit. */
  entry(commit: string, path: string): Entry | null {
    const [first, ...rest] = path.split("/");
    const found = this.entries(commit)?.find((one) => one.path === first) ?? null;
    return found === null || rest.length === 0 ? found : this.entry(found.sha, rest.join("/"));
  }

  blob(sha: string): Buffer | null {
    return this.#read("blob", sha);
  }

  /** Sha of the new tree; null when the base is unknown or a path to delete is not in it. */
  writeTree(base: string | null, changes: readonly TreeChange[]): string | null {
    const known = base === null ? [] : this.files(base);
    if (known === null) return null;
    const files = new Map(known.map(({ path, mode, sha }) => [path, { mode, sha }]));
    for (const { path, mode, content } of changes) {
      if (content !== null)
        files.set(path, { mode, sha: this.#write("blob", Buffer.from(content)) });
      else if (!files.delete(path)) return null;
    }
    return this.#writeFiles(files);
  }

  /** Null where the tree or a parent is unknown. */
  writeCommit(tree: string, parents: readonly string[], message: string): string | null {
    const isKnown = this.#read("tree", tree) !== null;
    if (!isKnown || parents.some((parent) => this.commit(parent) === null)) return null;
    return this.#write("commit", commitText(tree, parents, message));
  }

  isAncestor(older: string, newer: string): boolean {
    return (
      older === newer ||
      (this.commit(newer)?.parents.some((parent) => this.isAncestor(older, parent)) ?? false)
    );
  }

  /** The newest commit that both come from, as far as one line of first parents tells. */
  mergeBase(one: string, other: string): string | null {
    if (this.isAncestor(one, other)) return one;
    const [first] = this.commit(one)?.parents ?? [];
    return first === undefined ? null : this.mergeBase(first, other);
  }

  /**
   * Moves a ref, named whole, from one commit (null: it is not there) to another, unless somebody
   * else has moved it meanwhile.
   */
  moveRef(ref: string, from: string | null, to: string): boolean {
    if (this.#shelf.ref(ref) !== from) return false;
    this.#shelf.point(ref, to);
    return true;
  }

  /** A commit under a name that is not its content's: one that a test knows beforehand. */
  plant(sha: string, files: Readonly<Record<string, string>>, parents: readonly string[]): void {
    const object = commitText(this.#treeOf(files), parents, `planted ${sha}`);
    this.#shelf.keep(sha, withHeader("commit", object));
  }

  #treeOf(files: Readonly<Record<string, string>>): string {
    const changes = Object.entries(files).map(([path, content]) => ({
      path,
      content,
      mode: "100644",
    }));
    return this.writeTree(null, changes) ?? "";
  }

  #writeFiles(files: ReadonlyMap<string, { mode: string; sha: string }>): string {
    const inside = Map.groupBy(files, ([path]) => path.split("/")[0] ?? "");
    const entries = [...inside].map(([name, all]) => {
      const [[path, file] = ["", { mode: "", sha: "" }]] = all;
      if (path === name) return { name, ...file };
      const below = all.map(([long, one]) => [long.slice(name.length + 1), one] as const);
      return { name, mode: TREE_MODE, sha: this.#writeFiles(new Map(below)) };
    });
    // As git: a folder stands where its name with a slash would.
    const placeOf = ({ name, mode }: { name: string; mode: string }) =>
      Buffer.from(mode === TREE_MODE ? `${name}/` : name);
    entries.sort((a, b) => placeOf(a).compare(placeOf(b)));
    const lines = entries.flatMap(({ name, mode, sha }) => [
      Buffer.from(`${mode} ${name}\0`),
      Buffer.from(sha, "hex"),
    ]);
    return this.#write("tree", Buffer.concat(lines));
  }

  #read(type: string, sha: string): Buffer | null {
    const object = this.#shelf.object(sha);
    if (object === null || !object.toString("latin1", 0, type.length + 1).startsWith(`${type} `)) {
      return null;
    }
    return object.subarray(object.indexOf(0) + 1);
  }

  #write(type: string, data: Buffer): string {
    const object = withHeader(type, data);
    const sha = createHash("sha1").update(object).digest("hex");
    this.#shelf.keep(sha, object);
    return sha;
  }
}

function withHeader(type: string, data: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]);
}

function commitText(tree: string, parents: readonly string[], message: string): Buffer {
  const at = `${Math.floor(Date.now() / 1000)} +0000`;
  return Buffer.from(
    [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${IDENTITY.author} ${at}`,
      `committer ${IDENTITY.committer} ${at}`,
      "",
      message,
    ].join("\n"),
  );
}

function inMemory(): Shelf {
  const objects = new Map<string, Buffer>();
  const refs = new Map<string, string>();
  return {
    object: (sha) => objects.get(sha) ?? null,
    keep: (sha, object) => void objects.set(sha, object),
    ref: (name) => refs.get(name) ?? null,
    point: (name, sha) => void refs.set(name, sha),
  };
}

function onDisk(directory: string): Shelf {
  const write = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const placeOf = (sha: string): string =>
    join(directory, "objects", sha.slice(0, 2), sha.slice(2));
  return {
    object: (sha) =>
      /^[0-9a-f]{40}$/.test(sha) && existsSync(placeOf(sha))
        ? inflateSync(readFileSync(placeOf(sha)))
        : null,
    keep: (sha, object) => {
      if (!existsSync(placeOf(sha))) write(placeOf(sha), deflateSync(object));
    },
    ref: (name) => {
      const path = join(directory, name);
      return existsSync(path) ? readFileSync(path, "utf8").trim() : null;
    },
    point: (name, sha) => write(join(directory, name), `${sha}\n`),
  };
}
