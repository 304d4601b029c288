// The repository behind the fake GitHub: a real bare git repository, so that commits, fast-forwards
// and refusals are git's own, and what was pushed over the API can be fetched from it.
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface TreeChange {
  path: string;
  mode: string;
  /** New text, or null to delete. */
  content: string | null;
}

export type GitStore = ReturnType<typeof openGitStore>;

const IDENTITY = {
  GIT_AUTHOR_NAME: "github-actions[bot]",
  GIT_AUTHOR_EMAIL: "bot@example.invalid",
  GIT_COMMITTER_NAME: "GitHub",
  GIT_COMMITTER_EMAIL: "noreply@example.invalid",
};

/** Branches to be made at the start: their files' texts by path. */
type Branches = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * A repository in a temporary folder unless one is given. It is made when it is first asked for:
 * most tests never do.
 */
export function openGitStore(given: string | undefined, branches: Branches) {
  let ready: Promise<string> | null = null;
  const directory = (): Promise<string> => {
    ready ??= prepare(given, branches);
    return ready;
  };
  const run = async (args: string[], options: RunOptions = {}) =>
    git(await directory(), args, options);
  const said = async (args: string[]): Promise<string | null> => {
    try {
      return (await run(args)).toString("utf8").trim();
    } catch {
      return null;
    }
  };

  /** What a sha names never changes, so git is asked for it once. */
  const byName = <T>(find: (name: string) => Promise<T | null>) => {
    const known = new Map<string, T>();
    return async (name: string): Promise<T | null> => {
      const found = known.get(name) ?? (await find(name));
      if (found !== null && /^[0-9a-f]{40}$/.test(name)) known.set(name, found);
      return found;
    };
  };

  const listed = async (treeish: string, how: string[]) => {
    const text = await said(["ls-tree", ...how, "-z", `${treeish}^{tree}`]);
    if (text === null) return null;
    return text.split("\0").flatMap((line) => {
      const [, mode = "", type = "", sha = "", path = ""] =
        /^(\d+) (blob|tree) ([0-9a-f]{40})\t(.+)$/s.exec(line) ?? [];
      return path === "" ? [] : [{ mode, type, sha, path }];
    });
  };

  return {
    directory,
    /** Commit of a branch, a tag, or a (full) sha; null where there is none. */
    async commitOf(ref: string): Promise<string | null> {
      const isWhole = /^(refs\/|[0-9a-f]{40}$)/.test(ref);
      for (const name of isWhole ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`, ref]) {
        const sha = await said(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
        if (sha !== null) return sha;
      }
      return null;
    },
    commit: byName(async (sha) => {
      const text = await said(["show", "--no-patch", "--format=%H%n%T%n%P%n%B", `${sha}^{commit}`]);
      if (text === null) return null;
      const [hash = "", tree = "", parents = "", ...message] = text.split("\n");
      return {
        sha: hash,
        tree,
        parents: parents.split(" ").filter((one) => one !== ""),
        message: message.join("\n"),
      };
    }),
    /** Every file of a commit or a tree; null where there is none. */
    files: byName((treeish) => listed(treeish, ["-r"])),
    /** What lies directly in a commit or a tree; null where there is none. */
    entries: byName((treeish) => listed(treeish, [])),
    /** What a path leads to at a commit. */
    async entry(commit: string, path: string) {
      const line = await said(["ls-tree", commit, "--", path]);
      const match = /^\d+ (blob|tree) ([0-9a-f]{40})\t/.exec(line ?? "");
      return match === null ? null : { type: match[1] as "blob" | "tree", sha: match[2] ?? "" };
    },
    blob: byName(async (sha) => {
      try {
        return await run(["cat-file", "blob", sha]);
      } catch {
        return null;
      }
    }),
    /** Sha of the new tree; null when the base is unknown or a path to delete is not in it. */
    async writeTree(base: string | null, changes: readonly TreeChange[]) {
      try {
        return await writeTree(run, base, changes);
      } catch {
        return null;
      }
    },
    writeCommit: (tree: string, parents: readonly string[], message: string) =>
      writeCommit(run, tree, parents, message),
    async isAncestor(older: string, newer: string) {
      return (await said(["merge-base", "--is-ancestor", older, newer])) !== null;
    },
    /**
     * Moves a ref, named whole, from one commit (null: it is not there) to another, unless somebody
     * else has moved it meanwhile.
     */
    async moveRef(ref: string, from: string | null, to: string) {
      return (await said(["update-ref", ref, to, from ?? "0".repeat(40)])) !== null;
    },
    async close() {
      if (given === undefined && ready !== null) {
        await rm(await ready, { recursive: true, force: true });
      }
    },
  };
}

async function prepare(given: string | undefined, branches: Branches): Promise<string> {
  const directory = given ?? (await mkdtemp(join(tmpdir(), "fake-github-")));
  if (given === undefined)
    await git(directory, ["init", "--quiet", "--bare", "--template=", directory]);
  const run: Run = (args, options) => git(directory, args, options);
  for (const [name, files] of Object.entries(branches)) {
    const changes = Object.entries(files).map(([path, content]) => ({
      path,
      content,
      mode: "100644",
    }));
    const tree = await writeTree(run, null, changes);
    if (tree === null) throw new Error(`the files of branch ${name} make no tree`);
    const commit = await writeCommit(run, tree, [], `${name} as seeded`);
    await run(["update-ref", `refs/heads/${name}`, commit]);
  }
  return directory;
}

async function writeTree(
  run: Run,
  base: string | null,
  changes: readonly TreeChange[],
): Promise<string | null> {
  // An index of its own, so that requests at the same time do not meet.
  const folder = await mkdtemp(join(tmpdir(), "fake-github-index-"));
  const env = { GIT_INDEX_FILE: join(folder, "index") };
  try {
    if (base !== null) await run(["read-tree", base], { env });
    const deletes = changes.some(({ content }) => content === null);
    const listed = deletes ? (await run(["ls-files", "-z"], { env })).toString().split("\0") : [];
    let lines = "";
    for (const { path, mode, content } of changes) {
      if (content === null) {
        if (!listed.includes(path)) return null;
        lines += `0 ${"0".repeat(40)}\t${path}\n`;
      } else {
        const sha = await run(["hash-object", "-w", "--stdin"], { input: content });
        lines += `${mode} ${sha.toString("utf8").trim()}\t${path}\n`;
      }
    }
    await run(["update-index", "--index-info"], { env, input: lines });
    return (await run(["write-tree"], { env })).toString("utf8").trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeCommit(
  run: Run,
  tree: string,
  parents: readonly string[],
  message: string,
): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((one) => ["-p", one]), "-F", "-"];
  return (await run(args, { env: IDENTITY, input: message })).toString("utf8").trim();
}

type Run = (args: string[], options?: RunOptions) => Promise<Buffer>;

interface RunOptions {
  env?: Record<string, string>;
  input?: string;
}

function git(directory: string, args: string[], options: RunOptions = {}): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      "git",
      [`--git-dir=${directory}`, ...args],
      {
        encoding: "buffer",
        maxBuffer: 200 * 2 ** 20,
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", ...options.env },
      },
      (error, stdout) => (error === null ? resolve(stdout) : reject(error)),
    );
    // A git that fails before it has read its input says so by its exit, not by the broken pipe.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
  });
}
