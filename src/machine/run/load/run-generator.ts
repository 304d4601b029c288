// What a run of any load generator's program has in common: its files, its end, and how that is
// told.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/base/errors.ts";
import { type LoadFailed, type LoadRequest, placedBody } from "../../../core/slice/load.ts";
import { systemClock } from "../../sys/clock.ts";
import { describeExit, runCommand } from "../../sys/process.ts";

/** Exit codes of taskset, like a shell's, when the program cannot be executed or is not there. */
const NOT_EXECUTED: readonly number[] = [126, 127];
/** Beyond its schedule: start, draining a backlog, a look at the end, writing what was measured. */
const KILL_MARGIN_MS = 20_000;

interface GeneratorRun<T> {
  name: "oha" | "wrk2";
  argv: readonly string[];
  /** Of its schedule, the last request's time-out included. */
  neededMs: number;
  /** Paths that it writes or reads, gone afterwards. */
  files: readonly string[];
  /**
   * Of a run that ended well. What it throws is told as the reason why the result cannot be read.
   */
  read(run: { stdout: string; wallMs: number; tail: string }): T | LoadFailed;
}

/** Never rejects. */
export async function runGenerator<T>(
  { name, argv, neededMs, files, read }: GeneratorRun<T>,
  { cpus, abort }: LoadRequest,
): Promise<T | LoadFailed> {
  const timeoutMs = neededMs + KILL_MARGIN_MS;
  const startedMs = systemClock.nowMs();
  const result = await runCommand(argv, { cpus, timeoutMs, abort });
  const wallMs = systemClock.nowMs() - startedMs;
  const { code, timedOut, stdout } = result;
  const tail = result.tail.join("\n");
  try {
    if (code !== null && NOT_EXECUTED.includes(code)) {
      return failed(`${name} could not be started`, tail);
    }
    if (timedOut) {
      const text = `${name} did not end within ${Math.round(timeoutMs / 1000)} s`;
      return { ...failed(text, tail), tookMs: timeoutMs };
    }
    if (code !== 0) return failed(`${name} ${describeExit(result)}`, tail);
    return read({ stdout, wallMs, tail });
  } catch (error) {
    return failed(`${name}'s result cannot be read: ${messageOf(error)}`, tail);
  } finally {
    clear(files);
  }
}

export function failed(text: string, detail = ""): LoadFailed {
  return { kind: "failed", text, detail };
}

export function clear(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

/** The path of the request's body, whose text is put at `path`; null: it has none. */
export function bodyFile({ scenario, folder }: LoadRequest, path: string): string | null {
  const { body } = scenario.request;
  if (body === null) return null;
  if (typeof body === "object") return join(folder, placedBody(body));
  writeFileSync(path, body);
  return path;
}

/** A command line's flags: `true` has no value; what is null or false is left out. */
export function flagsOf(
  values: Readonly<Record<string, string | number | boolean | null>>,
): string[] {
  return Object.entries(values).flatMap(([flag, value]) => {
    if (value === null || value === false) return [];
    return value === true ? [flag] : [flag, String(value)];
  });
}
