// perf, attached to a service from its first instruction: what it may do here, one recording a
// launch, and the text of it.
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../../src/core/base/errors.ts";
import type { ExplainKernel, ProgramBeside } from "../../../src/core/model/kernels.ts";
import { SAMPLES_A_SECOND } from "../fold.ts";
import type { Profiled } from "../model.ts";
import { PERF_SCRIPT, type PerfStacks, PerfText } from "../parse-perf.ts";
import { type Ended, endOf, NOT_FOUND, orNull, waitFor } from "./beside.ts";
import { maySeeKernel, type Refused, readPermission, whyRefused } from "./permission.ts";
import type { Program } from "./program.ts";

const MOST_FILE = "128M";
/** Of the buffer of each CPU: what anybody may lock, and enough not to lose samples. */
const PAGES = { limited: "128", free: "1024" };
const ANSWER_MS = 5000;
const SCRIPT_MS = 20_000;
/** No settings of the person, and no server that is asked for symbols. */
const ENVIRONMENT = { PERF_CONFIG: "/dev/null", DEBUGINFOD_URLS: "", LC_ALL: "C" };

/** What perf may record. */
export interface Perf {
  halves: Profiled["halves"];
  /** Between `perf record` and whom it records. */
  options: readonly string[];
}

/**
 * Not where files are in the process as perf finds it, which then becomes another program. perf unwinds a file that
 * both have from the lower of its two places: in half of all launches no caller of libc would be found.
 */
const KNOWS = "--synth=task";

const CLOCK = `cpu-clock/freq=${SAMPLES_A_SECOND}/`;
const FAULTS = "minor-faults/period=1/";
const TRIES = [
  { halves: "both", events: [CLOCK, FAULTS] },
  { halves: "user", events: [CLOCK, FAULTS] },
  { halves: "user", events: [CLOCK] },
] as const;

/** Tries the most first. `faults`: page faults, too. */
export async function findPerf(
  kernel: ExplainKernel,
  { callGraph }: Pick<Program, "callGraph">,
  faults: boolean,
): Promise<Perf | Refused> {
  const fifos = fifosIn(kernel);
  const made = await endOf(kernel.start(["mkfifo", ...fifos], {}), kernel, ANSWER_MS);
  if (made.code !== 0) throw new UserError("mkfifo fails", { detail: made.said });
  const permission = readPermission();
  const mayBoth = maySeeKernel(permission);
  let tried: Ended = { code: null, said: "" };
  for (const { halves, events } of mayBoth ? TRIES : TRIES.slice(1)) {
    const half = halves === "user" ? "u" : "";
    const wanted = faults ? events : [CLOCK];
    const options = [
      ...["-q", "-B", "-N", "-k", "CLOCK_MONOTONIC", "--call-graph", callGraph, KNOWS],
      ...wanted.flatMap((event) => ["-e", event + half]),
      ...["-m", mayBoth ? PAGES.free : PAGES.limited, `--max-size=${MOST_FILE}`],
      ...["-D", "-1", `--control=fifo:${fifos.join()}`],
    ];
    const file = join(kernel.scratch, "probe.data");
    const argv = ["perf", "record", ...options, "-o", file, "--", "true"];
    tried = await endOf(kernel.start(argv, ENVIRONMENT), kernel, ANSWER_MS);
    rmSync(file, { force: true });
    if (tried.code === 0) return { halves, options };
    if (tried.code === NOT_FOUND) break;
  }
  return whyRefused(tried, permission);
}

function fifosIn({ scratch }: ExplainKernel): [control: string, answers: string] {
  return [join(scratch, "perf.control"), join(scratch, "perf.answers")];
}

/** Of one launch. */
export interface Recording {
  stop(): Promise<void>;
  /** Once it was stopped. */
  read(...given: ConstructorParameters<typeof PerfText>): Promise<PerfStacks>;
  /** However it ended. */
  remove(): Promise<void>;
}

/** Of a process and all that it will start; it records when this returns. */
export async function attachPerf(
  kernel: ExplainKernel,
  { options }: Perf,
  pid: number,
): Promise<Recording> {
  const file = join(kernel.scratch, "perf.data");
  const argv = ["perf", "record", ...options, "-o", file, "-p", String(pid)];
  const program = kernel.start(argv, ENVIRONMENT);
  if (!(await isEnabled(program, kernel))) {
    const { said } = await endOf(program, kernel, 0);
    throw new UserError("perf does not record", { detail: said });
  }
  const stop = async (): Promise<void> => {
    program.signal("SIGINT");
    await endOf(program, kernel, ANSWER_MS);
  };
  return {
    stop,
    read: async (...given) => {
      const text = new PerfText(...given);
      const script = [...PERF_SCRIPT, "-i", file];
      const reading = kernel.start(script, ENVIRONMENT, (piece) => text.push(piece));
      const { code, said } = await endOf(reading, kernel, SCRIPT_MS);
      if (code === 0) return text.end();
      throw new UserError("perf script cannot read the recording", { detail: said });
    },
    remove: async () => {
      await stop();
      rmSync(file, { force: true });
    },
  };
}

/** Tells perf to begin, and waits until it says that it has. */
async function isEnabled(program: ProgramBeside, kernel: ExplainKernel): Promise<boolean> {
  const [control, answers] = fifosIn(kernel).map((path) =>
    openSync(path, constants.O_RDWR | constants.O_NONBLOCK),
  ) as [number, number];
  const answer = Buffer.alloc(64);
  try {
    writeSync(control, "enable\n");
    const hasAnswered = (): boolean => orNull(() => readSync(answers, answer)) !== null;
    return await waitFor(hasAnswered, program, kernel, ANSWER_MS);
  } finally {
    closeSync(control);
    closeSync(answers);
  }
}
