// The git program, asked about one repository. Turns what git says when it cannot answer into
// errors a person can act on. Knows nothing of services or builds.
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { type CommandResult, describeExit, runCommand } from "../sys/process.ts";
import { gitEnvironment } from "./environment.ts";

/**
 * Settings that hold for every command of ours: the user's hooks do not run, no daemon is started,
 * no clean-up either, and a sparse checkout does not make our worktrees sparse.
 */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.splitIndex=false",
  "core.sparseCheckout=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "advice.detachedHead=false",
  "advice.addEmbeddedRepo=false",
].flatMap((setting) => ["-c", setting]);

interface GitPorts {
  env: NodeJS.ProcessEnv;
  abort: AbortSignal;
}

interface GitCommand {
  /** Added to the environment. */
  env?: Record<string, string>;
  /** Default: the repository's root. */
  cwd?: string;
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

  async #run(args: readonly string[], { cwd = this.root, env }: GitCommand, answers: number[]) {
    const result = await runGit(args, cwd, this.#ports, env);
    if (result.code !== null && answers.includes(result.code)) return result;
    throw explainGitFailure(args, this.root, result);
  }
}

/** The repository whose working tree `folder` is in. */
export async function openGit(folder: string, ports: GitPorts): Promise<Git> {
  if (!existsSync(folder)) throw new UserError(`${folder} does not exist`);
  const args = ["rev-parse", "--show-toplevel", "--git-common-dir"];
  const result = await runGit(args, folder, ports);
  if (result.code !== 0) throw explainGitFailure(args, folder, result);
  const [root = "", common = ""] = result.stdout.split("\n");
  return new Git(root, isAbsolute(common) ? common : join(folder, common), ports);
}

async function runGit(
  args: readonly string[],
  cwd: string,
  ports: GitPorts,
  env: Record<string, string> = {},
): Promise<CommandResult> {
  const result = await runCommand(["git", ...SETTINGS, ...args], {
    cwd,
    env: { ...gitEnvironment(ports.env), ...env },
    abort: ports.abort,
  });
  if (ports.abort.aborted) {
    throw new UserError(`git ${args[0] ?? ""} was interrupted`, {}, "interrupted");
  }
  return result;
}

/** What a failed git command means to the person. */
export function explainGitFailure(
  args: readonly string[],
  folder: string,
  result: Pick<CommandResult, "code" | "signal" | "startError" | "stderr">,
): UserError {
  const { startError, stderr } = result;
  if (startError !== null) {
    return startError.code === "ENOENT" && existsSync(folder)
      ? new UserError("git is not on PATH", {
          next: "Install git 2.30 or later; tailgate asks it which code to build.",
        })
      : new UserError(`git could not be started in ${folder}: ${startError.message}`);
  }
  if (/dubious ownership/.test(stderr)) {
    const owned = /repository at '([^']+)'/.exec(stderr)?.[1] ?? folder;
    return new UserError(`git refuses ${owned}: the folder belongs to another user`, {
      next: `If you trust it: git config --global --add safe.directory '${owned}'`,
    });
  }
  if (/not a git repository/.test(stderr)) {
    return new UserError(`${folder} is not in a git repository`, {
      next: "Run tailgate inside the repository that holds the services.",
    });
  }
  if (/must be run in a work tree/.test(stderr)) {
    return new UserError(`${folder} is a git repository without a working tree`, {
      next: "Run tailgate in a clone with files checked out.",
    });
  }
  const lines = stderr.split("\n").filter((line) => line !== "");
  return new UserError(`git ${args[0] ?? ""} ${describeExit(result)} in ${folder}`, {
    detail: lines.slice(-20).join("\n"),
  });
}
