// The git program, asked about one repository. Turns what git says when it cannot answer into
// errors a person can act on. Knows nothing of services or builds.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { type CommandResult, describeExit, type Exit, runCommand } from "../sys/process.ts";
import { GIT, lackOf } from "../sys/programs.ts";
import { gitEnvironment } from "./environment.ts";
import { watchFetch } from "./silent-fetch.ts";

/**
 * Settings that hold for every command of ours: the user's hooks do not run, no daemon is started,
 * no clean-up either, a sparse checkout does not make our worktrees sparse, nothing is looked for in
 * submodules, line ends that a commit would change are no error, what lives for one run is not packed
 * tightly, and git-lfs asks a server that fails once more, not eight times.
 */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.splitIndex=false",
  "core.sparseCheckout=false",
  "submodule.recurse=false",
  "core.safecrlf=false",
  "core.looseCompression=0",
  "gc.auto=0",
  "maintenance.auto=false",
  "lfs.transfer.maxretries=1",
  "advice.detachedHead=false",
  "advice.addEmbeddedRepo=false",
];

/** Of a partial clone, which gets from its remote what it lacks. */
const LEAVE_OUT =
  "Leave out `filter` and `sparse-checkout` of actions/checkout, or let git log in later: `persist-credentials: true`.";
/** A server that computes says so every few seconds. */
const PATIENCE_MS = 30_000;

interface GitPorts {
  env: NodeJS.ProcessEnv;
  abort: AbortSignal;
  /** How long a remote may say nothing; default: half a minute. */
  patienceMs?: number;
}

export interface GitCommand {
  /** Added to the environment. */
  env?: Record<string, string>;
  /** Default: the repository's root. */
  cwd?: string;
  /** `name=value`, beside those that always hold. */
  settings?: readonly string[];
  /** What it prints may be no UTF-8: one character for each byte. */
  bytes?: true;
}

export class Git {
  /** Root of the working tree: absolute, symbolic links resolved. */
  readonly root: string;
  /** The `.git` folder that all worktrees share, absolute. */
  readonly commonFolder: string;
  readonly #ports: GitPorts;

  constructor(root: string, commonFolder: string, ports: GitPorts) {
    this.root = root;
    this.commonFolder = commonFolder;
    this.#ports = ports;
  }

  /** Standard output of a command that must succeed. */
  async read(args: readonly string[], command: GitCommand = {}): Promise<string> {
    return (await this.#run(args, command, [0])).stdout;
  }

  /** The same; null when git says "no" by exit code 1, as its `--quiet` questions do. */
  async tryRead(args: readonly string[], command: GitCommand = {}): Promise<string | null> {
    const { code, stdout } = await this.#run(args, command, [0, 1]);
    return code === 1 ? null : stdout;
  }

  async #run(args: readonly string[], command: GitCommand, answers: number[]) {
    const result = await runGit(args, this.#ports, { cwd: this.root, ...command });
    if (result.code !== null && answers.includes(result.code)) return result;
    throw explainGitFailure(args, this.root, result);
  }
}

/** The repository whose working tree `folder` is in. */
export async function openGit(folder: string, ports: GitPorts): Promise<Git> {
  if (!existsSync(folder)) throw new UserError(`${folder} does not exist`);
  const args = ["rev-parse", "--show-toplevel", "--git-common-dir"];
  const result = await runGit(args, ports, { cwd: folder });
  if (result.code !== 0) throw explainGitFailure(args, folder, result);
  const [root = "", common = ""] = result.stdout.split("\n");
  return new Git(root, isAbsolute(common) ? common : join(folder, common), ports);
}

async function runGit(
  args: readonly string[],
  ports: GitPorts,
  { cwd, env, settings = [], bytes }: GitCommand,
): Promise<CommandResult> {
  const set = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
  const { patienceMs = PATIENCE_MS } = ports;
  const lost = new AbortController();
  using watches = new DisposableStack();
  const result = await runCommand(["git", ...set, ...args], {
    cwd,
    env: { ...gitEnvironment(ports.env), ...env },
    abort: AbortSignal.any([ports.abort, lost.signal]),
    encoding: bytes && "latin1",
    onStart: (pid) => watches.use(watchFetch(pid, patienceMs, (remote) => lost.abort(remote))),
  });
  if (ports.abort.aborted) {
    throw new UserError(`git ${args[0] ?? ""} was interrupted`, {}, "interrupted");
  }
  if (lost.signal.aborted) {
    const { reason: remote } = lost.signal;
    const message = `this clone is partial, and its remote ${remote} said nothing for ${patienceMs / 1000} s`;
    throw new UserError(message, { next: LEAVE_OUT });
  }
  return result;
}

/**
 * What git says, and what that means: what happened, with `{folder}` and groups of what it said, and
 * what to do. Behind a colon come git's own words, which say more.
 */
const MEANINGS: readonly { says: RegExp; means: string; next: string }[] = [
  {
    says: /dubious ownership in repository at '([^']+)'/,
    means: "git refuses $1: the folder belongs to another user",
    next: "If you trust it: git config --global --add safe.directory '$1'",
  },
  {
    says: /not a git repository/,
    means: "{folder} is not in a git repository",
    next: "Run tailgate inside the repository that holds the services.",
  },
  {
    says: /must be run in a work tree/,
    means: "{folder} is a git repository without a working tree",
    next: "Run tailgate in a clone with files checked out.",
  },
  {
    says: /(?:smudge|clean) filter '?lfs'? failed|git-lfs: (?:command )?not found/,
    means: "git-lfs is not there, or could not get all LFS files that are needed:",
    next: "Install git-lfs, and fetch them while git can log in: `git lfs fetch --all`. Or leave all of them pointers: `lfs: false` of actions/checkout.",
  },
  {
    says: /promisor remote|[Cc]ould not read (?:from remote|Username)/,
    means: "this clone is partial, and git could not fetch what it lacks:",
    next: LEAVE_OUT,
  },
  {
    says: /No space left|quota exceeded|unable to (?:write|create) file/,
    means: "git could not write all files, as on a full file system:",
    next: "Free space, or set TAILGATE_CACHE, for what is built, or TMPDIR, for what is not committed, to another folder.",
  },
];

/** What a failed git command means to the person. */
export function explainGitFailure(
  args: readonly string[],
  folder: string,
  result: Pick<CommandResult, keyof Exit | "stderr">,
): UserError {
  const { startError, stderr } = result;
  if (startError !== null) {
    return startError.code === "ENOENT" && existsSync(folder)
      ? lackOf([GIT])
      : new UserError(`git could not be started in ${folder}: ${startError.message}`);
  }
  const lines = stderr.split("\n").filter((line) => line !== "");
  const detail = lines.slice(-20).join("\n");
  for (const { says, means, next } of MEANINGS) {
    const [said] = says.exec(stderr) ?? [];
    if (said === undefined) continue;
    const tell = (text: string) => said.replace(says, text).replace("{folder}", () => folder);
    const more = means.endsWith(":") ? { detail } : {};
    return new UserError(tell(means), { ...more, next: tell(next) });
  }
  const name = args.find((arg) => !arg.startsWith("-")) ?? "";
  return new UserError(`git ${name} ${describeExit(result)} in ${folder}`, { detail });
}
