// The command line: flags -> use case -> text and exit code. Signals are turned into one
// AbortSignal here.
import { homedir } from "node:os";
import { silentProgress } from "../app/progress.ts";
import type { Satellites } from "../app/settings.ts";
import { messageOf, UserError } from "../core/base/errors.ts";
import { plainLine, plainLines } from "../core/text/escape.ts";
import { withoutCommands } from "../core/text/screen.ts";
import { systemClock } from "../machine/sys/clock.ts";
import { cacheFolder } from "../machine/sys/files.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { EXIT, SIGNAL_EXIT, VERDICT_EXIT } from "./exit-codes.ts";
import { createLineProgress } from "./progress.ts";

const VERSION = process.env.TAILGATE_VERSION ?? "0.0.0-dev";

const HELP = ["help", "--help", "-h"];

async function main(typed: readonly string[], satellites: Satellites): Promise<number> {
  const start = typed.findIndex((word) => !HELP.includes(word));
  const argv = typed.slice(start);
  const [first = ""] = argv;
  const { asksForHelp, commandNamed, parseCommandLine } = await import("./command-line.ts");
  const { renderHelp } = await import("./help.ts");
  if (start === -1) {
    const { renderOverview } = await satellites.completion();
    process.stdout.write(renderOverview(VERSION, (await import("./commands.ts")).COMMANDS));
    return typed.length === 0 ? EXIT.usage : 0;
  }
  const named = commandNamed(first);
  if (named !== null && (start > 0 || asksForHelp(argv))) {
    process.stdout.write(renderHelp(first, named));
    return 0;
  }
  const parsed = parseCommandLine(argv);
  const shown = createLineProgress(process.stderr, process.env, systemClock);
  const progress = parsed.isQuiet ? { ...shown, ...QUIET } : shown;
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

/** What is secret is hidden all the same. */
const { secret: _, ...QUIET } = silentProgress;

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

const MAX_DETAIL_LINES = 60;

/** Every line of it may be of somebody else's file or program. */
function describeFailure({ message, detail = "", next = "" }: UserError): string {
  const details = plainLines(detail, MAX_DETAIL_LINES).map((line) => `  ${line}`);
  // Many begin with the command, whose name says who speaks.
  const who = message.startsWith("tailgate ") ? "" : "tailgate: ";
  const lines = [`${who}${plainLine(message)}`, ...details, ...plainLines(next)];
  return withoutCommands(lines.join("\n"));
}

function bugOf(thrown: unknown): UserError {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  return new UserError(`internal error: ${messageOf(thrown)}`, {
    detail: process.env.TAILGATE_DEBUG === undefined ? "" : stack.replaceAll(homedir(), "~"),
    next: "This is a bug; please report it and attach the samples file. TAILGATE_DEBUG=1 shows where it happened.",
  });
}

export async function startCli(satellites: Satellites): Promise<void> {
  let code: number;
  try {
    code = await main(process.argv.slice(2), satellites);
  } catch (thrown) {
    const failure = thrown instanceof UserError ? thrown : bugOf(thrown);
    process.stderr.write(`${describeFailure(failure)}\n`);
    const foreseen = failure.kind === "invalid" ? EXIT.invalid : EXIT.usage;
    code = failure === thrown ? foreseen : EXIT.bug;
  }
  janitor.cleanUp();
  // What was proven stays so, whatever ended that which came after.
  const isProven = code === VERDICT_EXIT.regressed;
  process.exitCode = received === null || isProven ? code : SIGNAL_EXIT[received];
}
