// A throw-away repository with the real services and a configuration of the test's, and the real command run in it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Report, ReportSchema } from "../../src/model/report.ts";

const ROOT = resolve(import.meta.dirname, "../..");
export const CLI = join(ROOT, "dist/cli.cjs");

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

const MOST_ATTEMPTS = 3;
/**
 * Void rules that no fault of ours and no plant of a test breaks at the rates of these tests; and rounds that they leave without a
 * value, of which a baseline needs eight.
 */
const DISTURBED_BY_HOST =
  /mostly by rule (?:lag|steal|foreign-cpu|throttled)|has \d+ launches under the whole load/;

export class Project {
  readonly root = mkdtempSync(join(tmpdir(), "tailgate-e2e-"));
  readonly #running = new Set<ChildProcess>();

  /** Copies what git tracks or would track of these folders of ours. */
  constructor(folders: readonly string[]) {
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

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8" }).trim();
  }

  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  /** Starts the command; `finished` settles when it ends. */
  start(...args: string[]): { child: ChildProcess; finished: Promise<Finished> } {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.root,
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

  /**
   * A command whose answer is the code's and not the hour's: run again, with another seed and twice at most, where slices that
   * the host disturbed left it without an answer, or one of `expected` open, or where something else is red beside those, which at
   * the alpha of such tests one gate in five may have. `expected` are the beginnings of the ids of comparisons that are to be red.
   */
  async undisturbed(expected: readonly string[], ...command: string[]): Promise<Finished> {
    for (let seed = 1; ; seed++) {
      const finished = await this.run(...command, "--seed", String(seed));
      const isDisturbed = this.#isDisturbed(finished, expected);
      const alarms = expected.length > 0 && finished.code === 1 ? this.#redBeyond(expected) : [];
      if (seed === MOST_ATTEMPTS || (!isDisturbed && alarms.length === 0)) return finished;
      const why = isDisturbed ? finished.stderr.slice(-300) : `${alarms.join(", ")} red as well`;
      console.warn(`again, after attempt ${seed}: ${why}`);
    }
  }

  #isDisturbed({ code, stdout, stderr }: Finished, expected: readonly string[]): boolean {
    if (code === 2 || code === 3) return DISTURBED_BY_HOST.test(stdout + stderr);
    return (
      expected.length > 0 &&
      this.report().verdict.comparisons.some(
        ({ id, state }) =>
          state === "inconclusive" && expected.some((beginning) => id.startsWith(beginning)),
      )
    );
  }

  /** Ids of what is red in scenarios and services where nothing is planted. */
  #redBeyond(expected: readonly string[]): string[] {
    const scopeOf = (id: string): string => id.split(" ", 1)[0] ?? "";
    const planted = new Set(expected.map(scopeOf));
    return gatedIn(this.report(), "regressed").filter((id) => !planted.has(scopeOf(id)));
  }

  report(): Report {
    return ReportSchema.parse(
      JSON.parse(readFileSync(join(this.root, ".tailgate/report.v1.json"), "utf8")),
    );
  }

  /** A test that fails may leave a command running: it ends here, what it started with it, and writes nothing any more. */
  remove(): void {
    for (const child of this.#running) child.kill("SIGKILL");
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
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
