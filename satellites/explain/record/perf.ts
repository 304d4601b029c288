// perf, attached to a service from its first instruction: what it may do here, one recording a
// launch, and the text of it.
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../src/core/base/errors.ts";
import type { ExplainKernel, ProgramBeside } from "../../../src/core/model/explain.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import type { Profiled } from "../model.ts";
import { PERF_SCRIPT, type PerfOptions, type PerfStacks, PerfText } from "../parse-perf.ts";
import { type Ended, endOf, NOT_FOUND, orNull, readOrEmpty, waitUntil } from "./beside.ts";

/** In step with no timer. */
const SAMPLES_A_SECOND = 4999;
export const SAMPLE_PERIOD_MS = 1000 / SAMPLES_A_SECOND;
const MOST_FILE = "128M";
/** Of the buffer of each CPU: what anybody may lock, and enough not to lose samples. */
const PAGES = { limited: "128", free: "1024" };
const ANSWER_MS = 5000;
const SCRIPT_MS = 20_000;
/** No settings of the person, and no server that is asked for symbols. */
const ENVIRONMENT = { PERF_CONFIG: "/dev/null", DEBUGINFOD_URLS: "", LC_ALL: "C" };

/** What perf may record. */
export interface Perf {
  kind: "may";
  halves: Profiled["halves"];
  /** Between `perf record` and whom it records. */
  options: readonly string[];
}

/** Why, and the line that would permit it. */
export interface Refused {
  kind: "refused";
  why: string;
  next: string;
}

const TRIES = [
  { halves: "both", events: ["cpu-clock", "minor-faults"] },
  { halves: "user", events: ["cpu-clock", "minor-faults"] },
  { halves: "user", events: ["cpu-clock"] },
] as const;

/** Tries the most first. `callGraph`: as `--call-graph` takes it. */
export async function findPerf(kernel: ExplainKernel, callGraph: string): Promise<Perf | Refused> {
  const fifos = fifosIn(kernel);
  const made = await endOf(kernel.start(["mkfifo", ...fifos], {}), kernel, ANSWER_MS);
  if (made.code !== 0) throw new UserError("mkfifo fails", { detail: made.said });
  const permission = readPermission();
  const mayBoth = permission.isCapable || permission.paranoid <= 1;
  let tried: Ended = { code: null, said: "" };
  for (const { halves, events } of mayBoth ? TRIES : TRIES.slice(1)) {
    const half = halves === "user" ? "u" : "";
    const period = { "cpu-clock": `freq=${SAMPLES_A_SECOND}`, "minor-faults": "period=1" };
    const options = [
      ...["-q", "-B", "-N", "-k", "CLOCK_MONOTONIC", "--call-graph", callGraph],
      ...events.flatMap((event) => ["-e", `${event}/${period[event]}/${half}`]),
      ...["-m", mayBoth ? PAGES.free : PAGES.limited, `--max-size=${MOST_FILE}`],
      ...["-D", "-1", `--control=fifo:${fifos.join()}`],
    ];
    const file = join(kernel.scratch, "probe.data");
    const argv = ["perf", "record", ...options, "-o", file, "--", "true"];
    tried = await endOf(kernel.start(argv, ENVIRONMENT), kernel, ANSWER_MS);
    rmSync(file, { force: true });
    if (tried.code === 0) return { kind: "may", halves, options };
    if (tried.code === NOT_FOUND) break;
  }
  return { kind: "refused", ...whyRefused(tried, permission) };
}

function fifosIn({ scratch }: ExplainKernel): [control: string, answers: string] {
  return [join(scratch, "perf.control"), join(scratch, "perf.answers")];
}

/** What the kernel says of us. */
export interface Permission {
  /** perf_event_paranoid; NaN: unknown. */
  paranoid: number;
  /** CAP_SYS_ADMIN or CAP_PERFMON: may record all, whatever the other says. */
  isCapable: boolean;
  /** A seccomp filter looks at each system call, as in a container. */
  isFiltered: boolean;
}

const CAPABILITIES = (1n << 21n) | (1n << 38n);
/** Of Debian's and Ubuntu's kernels: from here on they permit others nothing. */
const PERMITS_NOTHING = 3;

function readPermission(): Permission {
  const status = readOrEmpty("/proc/self/status");
  const [, held = "0"] = /^CapEff:\s+([0-9a-f]+)$/m.exec(status) ?? [];
  const paranoid = readOrEmpty("/proc/sys/kernel/perf_event_paranoid").trim();
  return {
    paranoid: Number(paranoid || Number.NaN),
    isCapable: (BigInt(`0x${held}`) & CAPABILITIES) !== 0n,
    isFiltered: /^Seccomp:\s+2$/m.test(status),
  };
}

const INSTALL =
  "Debian: apt-get install linux-perf; Ubuntu: apt-get install linux-tools-generic linux-tools-$(uname -r)";

export function whyRefused(
  { code, said }: Ended,
  { paranoid, isCapable, isFiltered }: Permission,
): Omit<Refused, "kind"> {
  if (code === NOT_FOUND) return { why: "perf is not installed", next: INSTALL };
  if (paranoid >= PERMITS_NOTHING && !isCapable) {
    const why = `the kernel permits no profiles (perf_event_paranoid is ${paranoid})`;
    return { why, next: "sudo sysctl kernel.perf_event_paranoid=2" };
  }
  if (isFiltered) {
    const why = "the container refuses perf_event_open, by its seccomp profile";
    return { why, next: "docker run --cap-add PERFMON …" };
  }
  return { why: `perf record fails: ${plainLine(said) || "without a word"}`, next: INSTALL };
}

/** Of one launch. */
export class Recording {
  readonly #kernel: ExplainKernel;
  readonly #program: ProgramBeside;
  readonly #file: string;
  #hasEnded = false;

  private constructor(kernel: ExplainKernel, { options }: Perf, pid: number) {
    this.#kernel = kernel;
    this.#file = join(kernel.scratch, "perf.data");
    const whom = ["-o", this.#file, "-p", String(pid)];
    this.#program = kernel.start(["perf", "record", ...options, ...whom], ENVIRONMENT);
    void this.#program.exited.then(() => {
      this.#hasEnded = true;
    });
  }

  /** Of a process and all that it will start; it records when this returns. */
  static async attach(kernel: ExplainKernel, perf: Perf, pid: number): Promise<Recording> {
    const recording = new Recording(kernel, perf, pid);
    if (await recording.#tell("enable")) return recording;
    const { said } = await endOf(recording.#program, kernel, 0);
    throw new UserError("perf does not record", { detail: said });
  }

  async stop(): Promise<void> {
    if (this.#hasEnded) return;
    const isTold = await this.#tell("stop").catch(() => false);
    await endOf(this.#program, this.#kernel, isTold ? ANSWER_MS : 0);
  }

  /** Whether perf has done so. */
  async #tell(command: "enable" | "stop"): Promise<boolean> {
    const [control, answers] = fifosIn(this.#kernel).map((path) =>
      openSync(path, constants.O_RDWR | constants.O_NONBLOCK),
    ) as [number, number];
    const answer = Buffer.alloc(64);
    const hasAnswered = (): boolean => (orNull(() => readSync(answers, answer)) ?? 0) > 0;
    try {
      while (hasAnswered());
      writeSync(control, `${command}\n`);
      let isDone = false;
      const isOver = (): boolean => {
        isDone = hasAnswered();
        return isDone || this.#hasEnded;
      };
      await waitUntil(isOver, this.#kernel, ANSWER_MS);
      return isDone;
    } finally {
      closeSync(control);
      closeSync(answers);
    }
  }

  /** However it ended. */
  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#file, { force: true });
  }

  /** Of a recording that was stopped. */
  async read(window: PerfOptions): Promise<PerfStacks> {
    const text = new PerfText(window);
    const argv = [...PERF_SCRIPT, "-i", this.#file];
    const script = this.#kernel.start(argv, ENVIRONMENT, (piece) => text.push(piece));
    const { code, said } = await endOf(script, this.#kernel, SCRIPT_MS);
    if (code === 0) return text.end();
    throw new UserError("perf script cannot read the recording", { detail: said });
  }
}
