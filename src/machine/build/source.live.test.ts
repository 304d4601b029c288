import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTestRepository, type TestRepository } from "../../../test/support/build.ts";
import { failureOf } from "../../../test/support/build-project.ts";
import type { Git } from "./git.ts";
import {
  objectAt,
  type Revision,
  readFileAt,
  resolveCandidate,
  resolveReference,
  revisionOf,
} from "./source.ts";

function makeService(): TestRepository {
  const repository = makeTestRepository();
  repository.write("service/main.txt", "one\n");
  repository.write("other/file", "other\n");
  repository.write(".gitignore", "*.log\n");
  repository.commit("first");
  return repository;
}

/** Every file of .git, with its content: what must not change. */
function stateOf(repository: TestRepository): Record<string, string> {
  const folder = join(repository.path, ".git");
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => join(item.parentPath, item.name))
      .map((path) => [path, readFileSync(path, "latin1")]),
  );
}

/**
 * Size and time stamps as git recorded them: it must see that the index is not newer than the file,
 * and read the file.
 */
function editUnseen(repository: TestRepository): void {
  const at = Math.floor(Date.now() / 1000) - 10;
  const file = join(repository.path, "service/main.txt");
  repository.git("config", "core.trustctime", "false");
  utimesSync(file, at, at);
  repository.git("update-index", "--refresh");
  utimesSync(join(repository.path, ".git/index"), at, at);
  repository.write("service/main.txt", "ono\n");
  utimesSync(file, at, at);
}

describe("the working tree", () => {
  test("when clean, is the commit, tree by tree", async () => {
    using repository = makeService();
    repository.write("build.log", "ignored");
    const git = await repository.open();
    const candidate = await resolveCandidate(git);
    expect(candidate.source).toEqual({
      commit: repository.git("rev-parse", "HEAD"),
      label: "main",
      dirty: false,
      subject: "first",
    });
    expect(candidate.tree).toBe(repository.git("rev-parse", "HEAD^{tree}"));
    expect(await objectAt(git, candidate, "service")).toBe(
      repository.git("rev-parse", "HEAD:service"),
    );
  });

  const CHANGES: [string, (repository: TestRepository) => void][] = [
    ["an edited file", (r) => r.write("service/main.txt", "two\n")],
    ["an edit that only its content shows, made as the index was written", editUnseen],
    [
      "a staged file",
      (r) => {
        r.write("service/main.txt", "two\n");
        r.git("add", "--all");
      },
    ],
    [
      "staged, then edited again",
      (r) => {
        r.write("service/main.txt", "two\n");
        r.git("add", "--all");
        r.write("service/main.txt", "three\n");
      },
    ],
    ["a new file", (r) => r.write("service/new file é.txt", "new")],
    [
      "a removed file",
      (r) => {
        r.write("service/left", "");
        rmSync(join(r.path, "service/main.txt"));
      },
    ],
    ["a changed mode", (r) => chmodSync(join(r.path, "service/main.txt"), 0o755)],
    ["a symbolic link", (r) => symlinkSync("main.txt", join(r.path, "service/link"))],
    [
      "without an index",
      (r) => {
        r.write("service/main.txt", "two\n");
        rmSync(join(r.path, ".git/index"));
      },
    ],
  ];
  test.each(CHANGES)(
    "with %s is what a commit of it would be, and leaves no trace",
    async (_, change) => {
      using repository = makeService();
      change(repository);
      const before = stateOf(repository);
      const git = await repository.open();
      const candidate = await resolveCandidate(git);
      const service = await objectAt(git, candidate, "service");
      const other = await objectAt(git, candidate, "other");
      expect(stateOf(repository)).toEqual(before);
      expect(candidate.source.dirty).toBe(true);

      repository.commit("second");
      expect(candidate.tree).toBe(repository.git("rev-parse", "HEAD^{tree}"));
      expect(service).toBe(repository.git("rev-parse", "HEAD:service"));
      expect(other).toBe(repository.git("rev-parse", "HEAD~1:other"));
    },
  );

  test("ignored files are no part of it", async () => {
    using repository = makeService();
    repository.write("service/x.log", "ignored");
    expect((await resolveCandidate(await repository.open())).source.dirty).toBe(false);
  });

  test("in a linked worktree, on a detached HEAD, in a folder with a colon", async () => {
    using repository = makeService();
    const linked = join(repository.path, 'a:b "c"');
    repository.git("worktree", "add", "--quiet", "--detach", linked);
    repository.write('a:b "c"/service/main.txt', "two\n");
    const git = await repository.open('a:b "c"');
    const candidate = await resolveCandidate(git);
    expect(candidate.source).toMatchObject({ label: "detached HEAD", dirty: true });
    expect(await readFileAt(git, candidate, "service/main.txt")).toBe("two");
  });

  test("a repository whose objects' folder has a colon in its path", async () => {
    using repository = makeTestRepository();
    repository.git("init", "--quiet", "c:d");
    repository.git("-C", "c:d", "commit", "--quiet", "--allow-empty", "--message=first");
    repository.write("c:d/file", "two\n");
    const git = await repository.open("c:d");
    expect(await readFileAt(git, await resolveCandidate(git), "file")).toBe("two");
  });

  test("is told by its subject alone, where the user's git shows signatures too", async () => {
    using repository = makeService();
    const gpg = repository.write(
      "gpg",
      `#!/bin/sh
echo "Good signature" >&2
case "$*" in *--verify*) echo "[GNUPG:] GOODSIG x" ;; *)
  cat >/dev/null; echo "[GNUPG:] SIG_CREATED " >&2; printf -- "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----\n" ;;
esac
`,
      { mode: 0o755 },
    );
    repository.git("config", "gpg.program", gpg);
    repository.git("config", "log.showSignature", "true");
    repository.git("commit", "--quiet", "--allow-empty", "--gpg-sign=x", "--message=signed");
    expect(repository.git("log", "-1", "--format=%s")).toContain("Good signature");
    expect((await resolveCandidate(await repository.open())).source.subject).toBe("signed");
  });

  test("needs a commit", async () => {
    using repository = makeTestRepository();
    const failure = await failureOf(resolveCandidate(await repository.open()));
    expect(failure.message).toContain("has no commit yet");
  });
});

describe("the reference", () => {
  /** main: first, then a branch with one commit more; main has moved on by one. */
  async function branched(): Promise<{
    repository: TestRepository;
    git: Git;
    candidate: Revision;
    base: string;
  }> {
    const repository = makeService();
    const base = repository.git("rev-parse", "HEAD");
    repository.write("other/file", "moved on\n");
    repository.commit("main moves on");
    repository.git("switch", "--quiet", "--create", "feature", base);
    repository.write("service/main.txt", "two\n");
    repository.commit("second");
    const git = await repository.open();
    return { repository, git, candidate: await resolveCandidate(git), base };
  }

  test("is the merge base with the default branch", async () => {
    const { repository, git, candidate, base } = await branched();
    using _ = repository;
    const reference = await resolveReference(git, null, candidate);
    expect(reference.source).toEqual({
      commit: base,
      label: "merge base with main",
      dirty: false,
      subject: "first",
    });
    expect(await readFileAt(git, reference, "service/main.txt")).toBe("one");
  });

  test("prefers what the remote calls its default branch", async () => {
    const { repository, git, candidate, base } = await branched();
    using _ = repository;
    repository.git("update-ref", "refs/remotes/origin/trunk", base);
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    const { source } = await resolveReference(git, null, candidate);
    expect(source.label).toBe("merge base with origin/trunk");
  });

  const NAMESAKES: [string, string, (r: TestRepository) => void][] = [
    ["a tag", "main", (r) => r.git("tag", "main", "feature")],
    [
      "a local branch of the remote one's name",
      "origin/main",
      (r) => {
        r.git("update-ref", "refs/remotes/origin/main", "main");
        r.git("branch", "origin/main", "feature");
      },
    ],
  ];
  test.each(NAMESAKES)("is of the branch, not of %s: %s", async (_, branch, name) => {
    const { repository, git, candidate, base } = await branched();
    using _repository = repository;
    name(repository);
    const { source } = await resolveReference(git, null, candidate);
    expect(source).toMatchObject({ commit: base, label: `merge base with ${branch}` });
  });

  /** Where the default branches stand of a fork, and of what it was forked from. */
  const FORKS: [string, Record<string, string>, string][] = [
    ["a fork that lags behind", { origin: "start", upstream: "moved" }, "moved upstream/main"],
    ["an upstream not fetched since", { origin: "moved", upstream: "start" }, "moved origin/main"],
    ["both alike", { origin: "moved", upstream: "moved" }, "moved origin/main"],
    ["no fork's own branch", { upstream: "start" }, "start upstream/main"],
  ];
  test.each(FORKS)(
    "in a clone of a fork is where the change left the later of both: %s",
    async (_, branches, expected) => {
      using repository = makeService();
      repository.git("tag", "start");
      repository.write("service/main.txt", "two\n");
      repository.commit("moved");
      repository.git("tag", "moved");
      repository.write("service/main.txt", "three\n");
      repository.commit("changed");
      repository.git("branch", "--quiet", "--move", "topic");
      for (const [remote, tag] of Object.entries(branches)) {
        repository.git("update-ref", `refs/remotes/${remote}/main`, tag);
      }
      const git = await repository.open();
      const { source } = await resolveReference(git, null, await resolveCandidate(git));
      expect(`${repository.git("tag", "--points-at", source.commit)} ${source.label}`).toBe(
        expected.replace(" ", " merge base with "),
      );
    },
  );

  test("of a merge commit on a detached HEAD, as pull requests are checked out, is the target branch", async () => {
    const { repository, git } = await branched();
    using _ = repository;
    const target = repository.git("rev-parse", "main");
    repository.git("update-ref", "refs/remotes/origin/main", target);
    repository.git("switch", "--quiet", "--detach", "main");
    repository.git("branch", "--quiet", "--delete", "--force", "main");
    repository.git("merge", "--quiet", "--no-ff", "--message=merge", "feature");
    const candidate = await resolveCandidate(git);
    const { source } = await resolveReference(git, null, candidate);
    expect(source).toMatchObject({ commit: target, label: "merge base with origin/main" });
    expect(candidate.source.label).toBe("merge commit");
  });

  test("on the default branch is the commit before, or HEAD for uncommitted changes", async () => {
    using repository = makeService();
    const git = await repository.open();
    const label = async () => {
      const { source } = await resolveReference(git, null, await resolveCandidate(git));
      return `${source.subject}: ${source.label}`;
    };
    expect(await label()).toBe("first: HEAD, the first commit: same commit, A/A");
    repository.write("service/main.txt", "two\n");
    expect(await label()).toBe("first: HEAD without the uncommitted changes");
    repository.commit("second");
    expect(await label()).toBe("first: HEAD^, as HEAD is on main");
    repository.git("branch", "--quiet", "--move", "trunk");
    expect(await label()).toBe("first: HEAD^, as there is no default branch");
  });

  test("on the default branch of a clone of depth one is not guessed", async () => {
    using repository = makeService();
    repository.write("service/main.txt", "two\n");
    repository.commit("second");
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, "clone");
    const git = await repository.open("clone");
    const failure = await failureOf(resolveReference(git, null, await resolveCandidate(git)));
    expect(failure.message).toMatch(/^HEAD is on origin\/main, and this clone does not hold/);
    expect(failure.next).toContain("git fetch --deepen=1");
    repository.git("-C", "clone", "fetch", "--quiet", "--deepen=1");
    const { source } = await resolveReference(git, null, await resolveCandidate(git));
    expect(source.subject).toBe("first");
  });

  test("is not guessed when a remote has branches but no default one", async () => {
    using repository = makeService();
    repository.git("branch", "--quiet", "--move", "trunk");
    repository.git("update-ref", "refs/remotes/origin/trunk", "HEAD");
    const git = await repository.open();
    const failure = await failureOf(resolveReference(git, null, await resolveCandidate(git)));
    expect(failure.message).toBe("cannot tell which branch changes are merged into");
  });

  const SPECS: [string, string][] = [
    ["feature", "second"],
    ["v1.0", "first"],
    ["HEAD~1", "first"],
  ];
  test.each(SPECS)("is the commit that is asked for: %s", async (spec, subject) => {
    const { repository, git, candidate, base } = await branched();
    using _ = repository;
    repository.git("tag", "--annotate", "--message=v1", "v1.0", base);
    expect((await resolveReference(git, spec, candidate)).source.subject).toBe(subject);
  });

  const UNKNOWN: [string, string | undefined][] = [
    ["featrue", "Did you mean feature?"],
    ["topic", "Did you mean origin/topic?"],
    ["--all", undefined],
    ["", undefined],
    ["zzzzzzzzzz", undefined],
    ["0123456789012345678901234567890123456789", undefined],
    ["HEAD:service", undefined],
  ];
  test.each(UNKNOWN)("that does not exist is an error: '%s'", async (spec, next) => {
    const { repository, git, candidate } = await branched();
    using _ = repository;
    repository.git("update-ref", "refs/remotes/origin/topic", "HEAD");
    const failure = await failureOf(resolveReference(git, spec, candidate));
    expect(failure.message).toBe(`no commit is named '${spec}' in ${repository.path}`);
    expect(failure.next).toBe(next);
  });

  test("is never HEAD just because the clone is shallow", async () => {
    const { repository } = await branched();
    using _ = repository;
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, "clone");
    const git = await repository.open("clone");
    repository.git("-C", "clone", "update-ref", "-d", "refs/remotes/origin/feature");
    repository.git("-C", "clone", "symbolic-ref", "--delete", "refs/remotes/origin/HEAD");
    const candidate = await resolveCandidate(git);
    const failure = await failureOf(resolveReference(git, null, candidate));
    expect(failure.message).toContain("too little history");
    expect(failure.next).toContain("fetch-depth: 0");
    const named = await failureOf(resolveReference(git, "0123456789abcdef", candidate));
    expect(named.next).toContain("--unshallow");
  });
});

describe("a file of a revision", () => {
  test("is read exactly, long lines included; null when there is none", async () => {
    using repository = makeService();
    const long = `body: ${"é".repeat(10_000)}\n\nend`;
    repository.write("tailgate.yml", long);
    repository.commit("second");
    repository.write("tailgate.yml", "changed");
    const git = await repository.open();
    const committed = await revisionOf(git, repository.git("rev-parse", "HEAD"), "HEAD");
    expect(await readFileAt(git, committed, "tailgate.yml")).toBe(long);
    expect(await readFileAt(git, committed, "none.yml")).toBeNull();
    expect(await readFileAt(git, committed, "service")).toBeNull();
    expect(await readFileAt(git, await resolveCandidate(git), "tailgate.yml")).toBe("changed");
  });
});

test("a snapshot's folder is gone at once when nothing had changed", async () => {
  using repository = makeService();
  const candidate = await resolveCandidate(await repository.open());
  expect(candidate.objects).toEqual({});
  repository.write("service/main.txt", "two\n");
  const dirty = await resolveCandidate(await repository.open());
  expect(existsSync(dirty.objects.GIT_OBJECT_DIRECTORY ?? "")).toBe(true);
});
