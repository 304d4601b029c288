// A throw-away repository with a configuration of the test's, and the real command run in it, as on
// a machine where nothing else runs.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { type Report, ReportSchema } from "../../src/core/model/report.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAMS = { built: join(ROOT, "dist/cli.cjs"), source: join(ROOT, "src/entry/cli.ts") };
const ACTION = join(ROOT, "dist/action.cjs");

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  finished: Promise<Finished>;
}

const FAKE_OHA = join(import.meta.dirname, "fake-oha");
/** For `node --require`. */
export const QUIET_HOST = join(FAKE_OHA, "quiet-host.cjs");
export const ANOTHER_DAY = join(FAKE_OHA, "another-day.cjs");

/** From now on this process measures as on a machine where nothing else runs. */
export function quietHost(): void {
  createRequire(import.meta.url)(QUIET_HOST);
}

interface ProjectOptions {
  /** `fake`: what requests take is what the service says. Default: the oha of this machine. */
  oha?: "real" | "fake";
  /** Which command line is run. Default: the built one. */
  program?: keyof typeof PROGRAMS;
  /** By so much the fake one releases half of a slice's requests too late, microseconds. */
  lateUs?: number;
}

export class Project {
  readonly root = mkdtempSync(join(tmpdir(), "tailgate-e2e-"));
  readonly #running = new Set<ChildProcess>();
  readonly #load: Record<string, string>;
  readonly #program: string;

  /** Copies what git tracks or would track of these folders of ours. */
  constructor(folders: readonly string[], options: ProjectOptions = {}) {
    const { oha = "real", lateUs = 0, program = "built" } = options;
    this.#program = PROGRAMS[program];
    this.#load =
      oha === "real"
        ? lockOf(this.root)
        : { ...fakeLoad(this.root), FAKE_OHA_LATE_US: String(lateUs) };
    const files = this.#listed(folders);
    for (const file of files) {
      mkdirSync(dirname(join(this.root, file)), { recursive: true });
      cpSync(join(ROOT, file), join(this.root, file));
    }
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Test");
    this.git("config", "user.email", "test@example.invalid");
  }

  #listed(folders: readonly string[]): string[] {
    if (folders.length === 0) return [];
    const listed = execFileSync(
      "git",
      ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...folders],
      { cwd: ROOT, encoding: "utf8" },
    );
    return listed.split("\0").filter((file) => file !== "");
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "utf8");
  }

  /** Names of the files in a folder, sorted; none where it is not there. */
  files(folder: string): string[] {
    const path = join(this.root, folder);
    return existsSync(path) ? readdirSync(path).sort() : [];
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8" }).trim();
  }

  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Starts the command; `finished` settles when it ends. */
  start(...args: string[]): Started {
    return this.#start([this.#program, ...args], {});
  }

  /** A step of the action, as a runner starts it with these variables. */
  runAction(env: Readonly<Record<string, string>>, action = ACTION): Promise<Finished> {
    return this.#start([action], env).finished;
  }

  #start(argv: readonly string[], env: Readonly<Record<string, string>>): Started {
    const child = spawn(process.execPath, ["--require", QUIET_HOST, ...argv], {
      cwd: this.root,
      env: { ...process.env, ...this.#load, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    this.#running.add(child);
    const finished = new Promise<Finished>((done) => {
      child.on("close", (code) => {
        this.#running.delete(child);
        done({ code, stdout, stderr });
      });
    });
    return { child, finished };
  }

  run(...args: string[]): Promise<Finished> {
    return this.start(...args).finished;
  }

  report(): Report {
    return ReportSchema.parse(
      JSON.parse(readFileSync(join(this.root, ".tailgate/report.v1.json"), "utf8")),
    );
  }

  /**
   * A test that fails may leave a command running: it ends here, what it started with it, and
   * writes nothing any more.
   */
  remove(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

/**
 * The environment in which a gate finds what is in `.git/bin` first, then the fake oha, and keeps all
 * it makes in the repository.
 */
export function fakeLoad(root: string): Record<string, string> {
  const path = [
    join(root, ".git/bin"),
    FAKE_OHA,
    dirname(process.execPath),
    process.env.PATH ?? "",
  ];
  return {
    PATH: path.join(delimiter),
    FAKE_OHA_CALLS: join(root, ".git/fake-oha-calls"),
    TAILGATE_CACHE: join(root, ".git/tailgate-cache"),
    ...lockOf(root),
  };
}

/** A test waits for nobody who measures on this machine: it measures nothing, or what no noise hides. */
function lockOf(root: string): Record<string, string> {
  return { TAILGATE_LOCK: join(root, ".git/tailgate-lock") };
}

/** Ids of the gated comparisons in this state. */
export function gatedIn(report: Report, state: string): string[] {
  return report.verdict.comparisons
    .filter((comparison) => comparison.level === "gate" && comparison.state === state)
    .map(({ id }) => id)
    .sort();
}

/** Command lines and states of living processes whose command line or folder mentions `text`. */
export function processesMentioning(text: string): string[] {
  return execFileSync("ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text) && !line.includes("ps -eo") && !/^\s*\d+\s+Z/.test(line));
}
