// One step from its inputs to its conclusion. Whatever happens inside, the step ends with a
// conclusion that is true, with its outputs set, and with nothing left pending anywhere.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createLogProgress } from "../app/progress.ts";
import type { Satellites } from "../app/settings.ts";
import { messageOf, UserError } from "../core/base/errors.ts";
import { markdownBlock, plainLine, plainLines } from "../core/text/escape.ts";
import type { GitHub } from "../github/port.ts";
import type { Clock } from "../machine/sys/clock.ts";
import type { Mode } from "./inputs/contract.ts";
import { parseInputs } from "./inputs/parse-inputs.ts";
import { type RunContext, readRunContext } from "./inputs/run-context.ts";
import { CANCELLED, type Conclusion, type Job } from "./job/job.ts";
import type { UseCases } from "./job/use-cases.ts";
import type { Runner } from "./runner/runner.ts";

export interface ActionPorts {
  version: string;
  /** By name; see takeInputs. */
  inputs: ReadonlyMap<string, string>;
  /** Without the inputs. */
  env: NodeJS.ProcessEnv;
  runner: Runner;
  clock: Clock;
  abort: AbortSignal;
  useCases: UseCases;
  satellites: Satellites;
  cache: string;
  connect(options: {
    token: string;
    context: RunContext;
    log(line: string): void;
  }): Promise<GitHub>;
}

/** The runner kills a cancelled step 10 seconds after its first signal. */
const GRACE_MS = 5000;

export async function runAction(ports: ActionPorts): Promise<Conclusion> {
  const { runner, abort, clock } = ports;
  // What goes on although the step has ended must not contradict its end.
  let isOver = false;
  const work = conclude({ ...ports, runner: whileOpen(runner, () => !isOver) });
  const conclusion = await Promise.race([work, graceAfter(abort, clock)]);
  isOver = true;
  // A verdict that was reached while the job was being cancelled is not one that anybody should
  // rely on.
  const shown = abort.aborted ? CANCELLED : conclusion;
  if (shown.state === "cancelled") {
    runner.output("verdict", "cancelled");
    runner.output("artifact", "");
    runner.summary(
      "### ⏹️ Tailgate: CANCELLED\n\nNo verdict: the job was stopped. This is not a pass.\n",
    );
  }
  runner.output("headline", shown.headline);
  if (shown.state === "success") runner.log(shown.headline);
  else runner.annotate({ level: "error", title: "Tailgate", message: shown.headline });
  return shown;
}

function whileOpen(runner: Runner, isOpen: () => boolean): Runner {
  return new Proxy(runner, {
    get:
      (_, name: keyof Runner) =>
      (...words: never[]): void => {
        if (isOpen()) (runner[name] as (...words: never[]) => void).apply(runner, words);
      },
  });
}

async function graceAfter(abort: AbortSignal, clock: Clock): Promise<Conclusion> {
  if (!abort.aborted) await once(abort, "abort");
  await clock.sleep(GRACE_MS);
  return CANCELLED;
}

/** Never rejects. */
async function conclude(ports: ActionPorts): Promise<Conclusion> {
  const { runner, clock } = ports;
  const progress = createLogProgress(runner, clock);
  try {
    const inputs = parseInputs(ports.inputs);
    if (inputs.token !== "") runner.hide(inputs.token);
    const context = readRunContext(ports.env);
    runner.log(`tailgate ${ports.version}, mode ${inputs.mode}, on ${context.eventName}`);
    const [{ parseEvent }, run] = await Promise.all([
      import("./inputs/parse-event.ts"),
      RUN[inputs.mode](),
    ]);
    const { token } = inputs;
    const connectTo = (repository: string) =>
      ports.connect({ token, context: { ...context, repository }, log: runner.log });
    const github = token === "" ? null : await connectTo(context.repository);
    return await run({
      inputs,
      event: parseEvent(context.eventName, readPayload(context.eventPath)),
      context,
      runner,
      useCases: ports.useCases,
      github,
      connectTo,
      environment: {
        version: ports.version,
        workingFolder: resolve(context.workspace, inputs.workingDirectory),
        env: ports.env,
        cache: ports.cache,
        clock,
        progress,
        abort: ports.abort,
        satellites: ports.satellites,
      },
    });
  } catch (thrown) {
    progress.end();
    return fail(thrown, ports);
  } finally {
    progress.end();
  }
}

const RUN: Readonly<Record<Mode, () => Promise<(job: Job) => Promise<Conclusion>>>> = {
  gate: async () => (await import("./modes/gate.ts")).runGate,
  report: async () => (await import("./modes/report.ts")).runReport,
  nightly: async () => (await import("./modes/nightly.ts")).runNightly,
  "update-baseline": async () => (await import("./modes/update-baseline.ts")).runUpdateBaseline,
  calibrate: async () => (await import("./modes/calibrate.ts")).runCalibrate,
  plan: async () => (await import("./modes/shard.ts")).runPlan,
  merge: async () => (await import("./modes/shard.ts")).runMerge,
  request: async () => (await import("./modes/request.ts")).runRequest,
};

function readPayload(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UserError(`the event's payload cannot be read: ${messageOf(error)}`, {
      next: "The runner names the file in GITHUB_EVENT_PATH.",
    });
  }
}

/** Says what went wrong where a person looks first: annotation, log, summary. */
function fail(thrown: unknown, { runner, abort }: ActionPorts): Conclusion {
  if (abort.aborted || (thrown instanceof UserError && thrown.kind === "interrupted")) {
    return { state: "cancelled", headline: plainLine(messageOf(thrown)) };
  }
  runner.output("verdict", "error");
  const { message, detail = "", next = "" } = thrown instanceof UserError ? thrown : bugOf(thrown);
  for (const line of plainLines(`${detail}\n${next}`)) runner.log(line);
  runner.summary(
    `${[
      "### 💥 Tailgate: no verdict",
      "",
      ...markdownBlock(plainLines(message)),
      ...(detail === "" ? [] : ["", ...markdownBlock(plainLines(detail))]),
      ...(next === "" ? [] : ["", "**What to do next**", "", ...markdownBlock(plainLines(next))]),
      "",
      "This is not a pass.",
    ].join("\n")}\n`,
  );
  return { state: "failure", headline: plainLine(message) };
}

/** What is no failure that was foreseen. */
function bugOf(thrown: unknown): UserError {
  return new UserError(`internal error: ${messageOf(thrown)}`, {
    next: "Please report it, with the samples file if there is one.",
  });
}
