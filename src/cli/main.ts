// The command line: flags -> use case -> text and exit code. Signals are turned into one
// AbortSignal here.
import { homedir } from "node:os";
import type { Satellites } from "../app/settings.ts";
import { messageOf, UserError } from "../core/base/errors.ts";
import { systemClock } from "../machine/sys/clock.ts";
import { cacheFolder } from "../machine/sys/files.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { EXIT, SIGNAL_EXIT } from "./exit-codes.ts";
import { createLineProgress } from "./progress.ts";

const VERSION = process.env.TAILGATE_VERSION ?? "0.0.0-dev";

async function main(typed: readonly string[], satellites: Satellites): Promise<number> {
  const isHelp = ["help", "--help", "-h"].includes(typed[0] ?? "help");
  const argv = isHelp && typed.length > 1 ? [...typed.slice(1), "--help"] : typed;
  const [first] = argv;
  const { asksForHelp, commandNamed, parseCommandLine } = await import("./command-line.ts");
  const { renderHelp, renderOverview } = await import("./help.ts");
  if (first === undefined || (isHelp && typed.length === 1)) {
    process.stdout.write(renderOverview(VERSION));
    return first === undefined ? EXIT.usage : 0;
  }
  const named = commandNamed(first);
  if (named !== null && asksForHelp(argv)) {
    process.stdout.write(renderHelp(first, named));
    return 0;
  }
  const parsed = parseCommandLine(argv);
  const progress = createLineProgress(process.stderr, process.env, systemClock);
  try {
    return await parsed.run({
      version: VERSION,
      workingFolder: process.cwd(),
      env: process.env,
      cache: cacheFolder(process.env),
      clock: systemClock,
      progress,
      abort: abort.signal,
      satellites,
    });
  } finally {
    progress.end();
  }
}

const abort = new AbortController();
let received: keyof typeof SIGNAL_EXIT | null = null;
// Only where something is to be cleaned up: else a signal ends us at once, in the middle of a long
// computation too.
janitor.whenNeeded(() => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    if (process.listenerCount(signal) === 0) process.on(signal, () => stop(signal));
  }
});

function stop(signal: keyof typeof SIGNAL_EXIT): void {
  // A second signal means now: the janitor's watcher ends what we leave behind.
  if (received !== null) process.exit(SIGNAL_EXIT[signal]);
  received = signal;
  process.stderr.write(`\n${signal}: stopping\n`);
  abort.abort();
}
// A reader that went away (`tailgate report … | head`) is no failure, and changes no verdict.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`tailgate: cannot write standard output: ${error.message}\n`);
  process.on("exit", () => {
    process.exitCode = EXIT.usage;
  });
});

function describeFailure(thrown: unknown): { text: string; code: number } {
  if (thrown instanceof UserError) {
    const lines = [`tailgate: ${thrown.message}`];
    if (thrown.detail !== undefined && thrown.detail !== "") {
      lines.push(...thrown.detail.split("\n").map((line) => `  ${line}`));
    }
    if (thrown.next !== undefined) lines.push(thrown.next);
    return { text: lines.join("\n"), code: thrown.kind === "invalid" ? EXIT.invalid : EXIT.usage };
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const where =
    process.env.TAILGATE_DEBUG === undefined ? "" : `\n${stack.replaceAll(homedir(), "~")}`;
  return {
    text: `tailgate: internal error: ${messageOf(thrown)}${where}\nThis is a bug; please report it and attach the samples file. TAILGATE_DEBUG=1 shows where it happened.`,
    code: EXIT.bug,
  };
}

export async function startCli(satellites: Satellites): Promise<void> {
  let code: number;
  try {
    code = await main(process.argv.slice(2), satellites);
  } catch (thrown) {
    const failure = describeFailure(thrown);
    process.stderr.write(`${failure.text}\n`);
    code = failure.code;
  }
  janitor.cleanUp();
  process.exitCode = received === null ? code : SIGNAL_EXIT[received];
}
