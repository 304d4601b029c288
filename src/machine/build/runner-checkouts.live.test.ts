// Checkouts as runners make them, with real git: what is built of each, or what is told.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  makePorts,
  makeRecipe,
  makeTestFolder,
  makeTestRepository,
  type TestRepository,
} from "../../../test/support/build.ts";
import { builtFrom, configure, failureOf } from "../../../test/support/build-project.ts";
import { buildArtifacts } from "./build.ts";
import { explainGitFailure } from "./git.ts";
import { resolveCandidate } from "./source.ts";

/** A filter as git-lfs sets it, which gets nothing: its server is out of reach. */
const LFS = {
  "filter.lfs.clean": "cat",
  "filter.lfs.smudge": "false",
  "filter.lfs.required": "true",
};
const POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n";

/** Its clone by these words, from a remote that is out of reach afterwards. */
function clone(repository: TestRepository, ...words: string[]): string {
  const origin = join(repository.path, "origin");
  repository.git("config", "uploadpack.allowFilter", "true");
  repository.git("clone", "--quiet", "--bare", ".", "origin");
  execFileSync("git", ["-C", origin, "config", "uploadpack.allowFilter", "true"]);
  repository.git("clone", "--quiet", "--branch=change", ...words, `file://${origin}`, "clone");
  renameSync(origin, `${origin}.away`);
  return "clone";
}

interface Checkout {
  /** Before the first commit. */
  prepare?(repository: TestRepository): void;
  /** After both: what the runner does. Returns the folder of the checkout, where it is another. */
  check?(repository: TestRepository): string | undefined;
  inputs?: string[];
}

function makeChange({ prepare }: Checkout): TestRepository {
  const repository = makeTestRepository();
  repository.write("service/source.txt", "one\n");
  prepare?.(repository);
  repository.commit("first");
  repository.git("switch", "--quiet", "--create=change");
  repository.write("service/source.txt", "two\n");
  repository.commit("second");
  return repository;
}

const withLfs =
  (text: string): NonNullable<Checkout["prepare"]> =>
  (repository) => {
    repository.write(".gitattributes", "*.bin filter=lfs\n");
    repository.write("service/large.bin", text);
  };
/** Its name is no UTF-8. */
const nameless =
  (ending: string, text: string): NonNullable<Checkout["prepare"]> =>
  ({ path }) =>
    writeFileSync(Buffer.from(`${path}/service/caf\xe9${ending}`, "latin1"), text);

/** What people like to see, which is no answer to a program. */
const TASTE = {
  "color.ui": "always",
  "log.showSignature": "true",
  "diff.noprefix": "true",
  "diff.renames": "copies",
  "format.pretty": "fuller",
  "i18n.logOutputEncoding": "ISO-8859-1",
  "core.quotePath": "true",
  "status.showUntrackedFiles": "no",
};

const WORKS: Record<string, Checkout> = {
  "a repository of SHA-256": {
    prepare: (r) => {
      rmSync(join(r.path, ".git"), { recursive: true });
      r.git("init", "--quiet", "--initial-branch=main", "--object-format=sha256");
    },
  },
  "git set to somebody's taste": { check: (r) => void configure(r, TASTE) },
  "a repository that is a submodule": {
    check: (r) => {
      r.git("init", "--quiet", "around");
      const words = "-c protocol.file.allow=always submodule --quiet add";
      r.git("-C", "around", ...words.split(" "), "--branch", "change", r.path, "inner");
      // As a clone knows it, of which this is one.
      return "around/inner";
    },
  },
  "a name with a line break and an umlaut, among the inputs": {
    prepare: (r) => void r.write("service/ü\nand more", ""),
    inputs: ["service"],
  },
  "LFS files that can be had": {
    prepare: withLfs("the file itself"),
    check: (r) => void configure(r, { ...LFS, "filter.lfs.smudge": "cat" }),
    inputs: ["service"],
  },
  "a name that is no UTF-8, among the inputs": { prepare: nameless("", ""), inputs: ["service"] },
  "a sparse clone": { check: (r) => clone(r, "--sparse") },
  "LFS pointers": { prepare: withLfs(POINTER), check: (r) => void configure(r, LFS) },
  "LFS pointers among the inputs": {
    prepare: withLfs(POINTER),
    check: (r) => void configure(r, LFS),
    inputs: ["service"],
  },
};

test.each(Object.entries(WORKS))("both versions are built: %s", async (_, checkout) => {
  using repository = makeChange(checkout);
  const place = checkout.check?.(repository);
  const { says } = await builtFrom(repository, { place, inputs: checkout.inputs });
  const text = (word: string): string => says[word]?.replaceAll("\r", "") ?? "";
  expect([text("candidate"), text("reference")]).toEqual(["two\n", "one\n"]);
});

test("a file whose line ends a commit would change is no error", async () => {
  using repository = makeChange({});
  configure(repository, { "core.autocrlf": "true", "core.safecrlf": "true" });
  repository.write("service/source.txt", "three\n");
  const { says } = await builtFrom(repository);
  expect(says.candidate).toMatch(/^three\r?\n$/);
});

test("a file that was committed with other line ends is no change", async () => {
  using repository = makeChange({
    prepare: (r) => {
      r.write("service/crlf.txt", "a\r\n");
      r.commit("as it is");
      r.write(".gitattributes", "* text=auto\n");
    },
  });
  expect((await resolveCandidate(await repository.open())).source.dirty).toBe(false);
});

test("pointers are told, and a build of them is not one of the files", async () => {
  using repository = makeChange({ prepare: withLfs(POINTER) });
  using cache = makeTestFolder();
  const git = await repository.open();
  const build = async () => {
    const revision = await resolveCandidate(git);
    const ports = makePorts(git, cache.path);
    const job = { arm: "candidate" as const, service: "api", recipe: makeRecipe({}), revision };
    const [built] = await buildArtifacts([job], ports);
    return { key: built?.facts.key, told: ports.notes.filter((note) => note.includes("LFS")) };
  };
  const without = await build();
  configure(repository, LFS);
  const pointers = await build();
  expect(without.told).toEqual([]);
  expect(pointers.told).toEqual([expect.stringContaining("`lfs: true`")]);
  expect(pointers.key).not.toBe(without.key);
});

test("no pointers are told where all files are empty", async () => {
  using repository = makeChange({ prepare: withLfs("") });
  configure(repository, { ...LFS, "filter.lfs.smudge": "cat" });
  const { says, notes } = await builtFrom(repository);
  expect(says.candidate).toBe("two\n");
  expect(notes.filter((note) => note.includes("LFS"))).toEqual([]);
});

let silent: Server;
beforeAll(async () => {
  silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
});
afterAll(() => void silent.close());
/** Of somebody who accepts connections, and says nothing. */
const silentPort = (): number => (silent.address() as AddressInfo).port;

/** Longer than it takes git to say the first word on a busy machine. */
const BRIEF_MS = 1_500;

interface Refused extends Checkout {
  patienceMs?: number;
  message: string;
  next: string;
}

const NO_LFS = {
  message: "git-lfs is not there, or could not get all LFS files that are needed:",
  next: "git lfs fetch --all",
};

/** A partial clone, its remote now at this address. */
const partialOf = (r: TestRepository, url: string): string => {
  const place = clone(r, "--filter=blob:none");
  r.git("-C", place, "remote", "set-url", "origin", url);
  return place;
};
const silentBy = (scheme: string): Refused => ({
  patienceMs: BRIEF_MS,
  check: (r) => partialOf(r, `${scheme}://127.0.0.1:${silentPort()}/x`),
  message: "this clone is partial, and its remote origin said nothing for 1.5 s",
  next: "`filter`",
});

const REFUSED: Record<string, Refused> = {
  "a partial clone whose remote does not answer, by http": silentBy("http"),
  "a partial clone whose remote does not answer, by https": silentBy("https"),
  "a partial clone whose remote does not answer, by ssh": silentBy("ssh"),
  "a partial clone whose remote does not answer, by git": silentBy("git"),
  "a partial clone without its remote": {
    check: (r) => clone(r, "--filter=blob:none"),
    message: "this clone is partial, and git could not fetch what it lacks:",
    next: "`filter`",
  },
  "LFS files that the remote keeps": {
    prepare: withLfs("the file itself"),
    check: (r) => void configure(r, LFS),
    ...NO_LFS,
  },
  "LFS files of which some were fetched": {
    prepare: (r) => {
      withLfs(POINTER)(r);
      r.write("service/fetched.bin", "the file itself");
    },
    check: (r) => void configure(r, LFS),
    ...NO_LFS,
  },
  "one of them whose name is no UTF-8, beside a pointer": {
    prepare: (r) => {
      withLfs(POINTER)(r);
      nameless(".bin", "the file itself")(r);
    },
    check: (r) => void configure(r, LFS),
    ...NO_LFS,
  },
};

test.each(Object.entries(REFUSED))("told in one line: %s", async (_, refused) => {
  using repository = makeChange(refused);
  const place = refused.check?.(repository);
  const failure = await failureOf(builtFrom(repository, { place, patienceMs: refused.patienceMs }));
  expect(failure.message).toBe(refused.message);
  expect(failure.next).toContain(refused.next);
});

/** Serves a repository by git's own program: late, and then a few bytes at a time. */
async function serveSlowly(origin: string): Promise<AsyncDisposable & { url: string }> {
  const server = createHttpServer(async (request, response) => {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    await sleep(LATE_MS);
    const { stdout, stdin } = spawn("git", ["http-backend"], {
      env: {
        ...process.env,
        GIT_PROJECT_ROOT: origin,
        GIT_HTTP_EXPORT_ALL: "1",
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        REQUEST_METHOD: request.method,
        PATH_INFO: path,
        QUERY_STRING: query,
        CONTENT_TYPE: request.headers["content-type"],
        HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    request.pipe(stdin);
    const answer = await buffer(stdout);
    const end = answer.indexOf("\r\n\r\n");
    const [, type = ""] = /^Content-Type: (.*)\r$/m.exec(`${answer.subarray(0, end + 2)}`) ?? [];
    response.setHeader("Content-Type", type);
    const body = answer.subarray(end + 4);
    // The first answer, of a few hundred bytes, comes as a whole.
    const bytes = Math.ceil(body.length / (request.method === "GET" ? 1 : PIECES));
    for (let at = 0; at < body.length; at += bytes) {
      response.write(body.subarray(at, at + bytes));
      await sleep((2 * BRIEF_MS) / PIECES);
    }
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.asyncDispose]: async () => void server.close() };
}
const LATE_MS = BRIEF_MS / 2;
const PIECES = 20;

test("a remote that is slow, and says something, is waited for", async () => {
  using repository = makeChange({});
  await using server = await serveSlowly(repository.path);
  const place = partialOf(repository, `${server.url}/origin.away`);
  const { says } = await builtFrom(repository, { place, patienceMs: BRIEF_MS });
  expect(says).toEqual({ candidate: "two\n", reference: "one\n" });
});

test("what fetches nothing is waited for, whatever the remote does", async () => {
  using repository = makeChange({});
  const place = partialOf(repository, `http://127.0.0.1:${silentPort()}/x`);
  const git = await repository.open(place, 300);
  const settings = ["alias.long=!sleep 1; echo done"];
  expect(await git.read(["long"], { settings })).toBe("done");
});

test("git-lfs is told to be brief, and waits for its server as long as the user lets it", async () => {
  using repository = makeChange({ prepare: withLfs("the file itself") });
  const smudge = "git config --get-regexp '^lfs[.]' >&2; false";
  configure(repository, { ...LFS, "filter.lfs.smudge": smudge, "lfs.activitytimeout": "90" });
  const { detail } = await failureOf(builtFrom(repository));
  const said = detail?.split("\n").filter((line) => line.startsWith("lfs."));
  expect(said).toEqual(["lfs.activitytimeout 90", "lfs.transfer.maxretries 1"]);
});

/** As git 2.39 said it on file systems and with programs that no test can count on. */
const SAID: [string, string, string][] = [
  [
    "error: unable to write file api/big",
    "git could not write all files, as on a full file system:",
    "TAILGATE_CACHE",
  ],
  [
    "fatal: could not write to '/cache/build/x/.git': No space left on device",
    "git could not write all files, as on a full file system:",
    "TMPDIR",
  ],
  [
    "git-lfs filter-process: 1: git-lfs: not found\nfatal: the remote end hung up unexpectedly",
    "git-lfs is not there, or could not get all LFS files that are needed:",
    "Install git-lfs",
  ],
  [
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    "this clone is partial, and git could not fetch what it lacks:",
    "persist-credentials",
  ],
];

test.each(SAID)("%s", (stderr, message, next) => {
  const exit = { code: 128, signal: null, startError: null };
  const failure = explainGitFailure(["read-tree"], "/repository", { ...exit, stderr });
  expect(failure.message).toBe(message);
  expect(failure.next).toContain(next);
});

test("what nobody foresaw names git's subcommand, whatever is before it", () => {
  const exit = { code: 1, signal: null, startError: null, stderr: "" };
  const { message } = explainGitFailure(["--literal-pathspecs", "checkout"], "/r", exit);
  expect(message).toBe("git checkout exited with code 1 in /r");
});

/** Runs a module in a mount namespace of its own, after `mount` with these words. */
function mounted(mount: readonly string[][], module: string): unknown {
  const commands = mount.map((words) => ["mount", ...words].map((word) => `'${word}'`).join(" "));
  const script = [...commands, `exec '${process.execPath}' --input-type=module -e "$MODULE"`];
  const said = execFileSync("unshare", [...NAMESPACE, "sh", "-c", script.join(" && ")], {
    cwd: import.meta.dirname,
    encoding: "utf8",
    env: { ...process.env, MODULE: module },
  });
  return JSON.parse(said);
}

const NAMESPACE = process.getuid?.() === 0 ? ["--mount"] : ["--mount", "--map-root-user"];
const canMount = spawnSync("unshare", [...NAMESPACE, "mount", "-t", "tmpfs", "x", "/mnt"]);

function onMounts(name: string, check: () => void | Promise<void>): void {
  test(name, (context) => {
    context.skip(canMount.status !== 0, "cannot mount in a namespace of its own");
    return check();
  });
}

/** What modules of these tests begin with. */
function beginning(repository: TestRepository, cache: string): string {
  return `
    import { readFileSync, writeFileSync } from "node:fs";
    import { makePorts, makeRecipe } from "../../../test/support/build.ts";
    import { launchService } from "../run/service/launch.ts";
    import { buildArtifacts } from "./build.ts";
    import { checkOut } from "./checkout.ts";
    import { openGit } from "./git.ts";
    import { listEntries, resolveCandidate } from "./source.ts";
    const abort = new AbortController().signal;
    const git = await openGit(${JSON.stringify(repository.path)}, { env: process.env, abort });
    const cache = ${JSON.stringify(cache)};
    const ports = makePorts(git, cache);
    const tell = (...said) => console.log(JSON.stringify(said));
    const failure = (work) => work.then(() => null, ({ message, next }) => [message, next]);
  `;
}

onMounts("a read-only checkout is laid out all the same", async () => {
  using repository = makeChange({});
  using cache = makeTestFolder();
  const said = mounted(
    [
      ["--bind", repository.path, repository.path],
      ["-o", "remount,ro,bind", repository.path],
    ],
    `${beginning(repository, cache.path)}
    import { execFileSync } from "node:child_process";
    const revision = await resolveCandidate(git);
    const whole = await checkOut(revision, ports);
    const listed = await checkOut(revision, ports, await listEntries(git, revision, ".", "all"));
    const words = ["describe", "--all", "--dirty"];
    const described = execFileSync("git", words, { cwd: whole.root, encoding: "utf8" });
    const file = ({ root }) => readFileSync(root + "/service/source.txt", "utf8");
    tell(file(whole), file(listed), described);
    for (const { remove } of [whole, listed]) remove();
    `,
  );
  expect(said).toEqual(["two\n", "two\n", "heads/change\n"]);
  expect(readdirSync(join(cache.path, "build"))).toEqual([]);
  expect(readdirSync(join(repository.path, ".git"))).not.toContain("worktrees");
});

onMounts("a cache from which nothing can be run is told, for a build and a launch", () => {
  using repository = makeChange({
    prepare: (r) => void r.write("service/program", "#!/bin/sh\n", { mode: 0o755 }),
  });
  using cache = makeTestFolder();
  const said = mounted(
    [["-t", "tmpfs", "-o", "noexec,mode=700", "x", cache.path]],
    `${beginning(repository, cache.path)}
    const revision = await resolveCandidate(git);
    const recipe = makeRecipe({ build: ["./program"], run: ["./program"] });
    const job = { arm: "candidate", service: "api", recipe, revision };
    const [, next] = await failure(buildArtifacts([job], ports));
    const folder = (await checkOut(revision, ports)).root + "/service";
    const target = { recipe, folder, artifact: null };
    const launched = await launchService(target, { clock: ports.clock, abort });
    tell(next, launched.text, launched.next);
    `,
  );
  const next = expect.stringMatching(/noexec .*: set TAILGATE_CACHE/);
  const text = expect.stringMatching(
    /^could not be started: .*program is where no program may run$/,
  );
  expect(said).toEqual([next, text, next]);
});

onMounts("a temporary folder that is full is told by its name", () => {
  using repository = makeChange({});
  using cache = makeTestFolder();
  const said = mounted(
    [["-t", "tmpfs", "-o", "size=8k", "x", cache.path]],
    `${beginning(repository, cache.path)}
    process.env.TMPDIR = cache;
    try { writeFileSync(cache + "/filler", Buffer.alloc(1e5)); } catch {}
    tell(...(await failure(resolveCandidate(git))));
    `,
  );
  const message = expect.stringMatching(/^cannot write .*index: .*no space left/);
  expect(said).toEqual([message, expect.stringContaining("TMPDIR")]);
});
