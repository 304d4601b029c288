// The action in a runner's process: signals become one AbortSignal, and nothing that was
// started outlives the step.
import type { Satellites } from "../app/settings.ts";
import { systemClock } from "../machine/sys/clock.ts";
import { cacheFolder } from "../machine/sys/files.ts";
import { janitor } from "../machine/sys/janitor.ts";
import type { Route } from "../machine/sys/route.ts";
import { useCases } from "./job/use-cases.ts";
import { runAction } from "./run-action.ts";
import { toolPath } from "./runner/tool-cache.ts";
import { connectRunner } from "./runner/toolkit.ts";

const VERSION = process.env.TAILGATE_VERSION ?? "0.0.0-dev";

/** `inputs`: by name; see takeInputs. */
export async function startAction(
  satellites: Satellites,
  inputs: ReadonlyMap<string, string>,
): Promise<void> {
  const abort = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (!abort.signal.aborted) process.stdout.write(`${signal}: stopping\n`);
      abort.abort();
    });
  }
  const env = { ...process.env, PATH: toolPath(process.env) };
  let route: Route | null = null;
  const conclusion = await runAction({
    version: VERSION,
    inputs,
    env,
    runner: connectRunner(process.env),
    clock: systemClock,
    abort: abort.signal,
    useCases,
    satellites,
    cache: cacheFolder(process.env),
    connect: async ({ token, context, log }) => {
      const { connectGitHub } = await import("../github/client.ts");
      const { openRoute } = await import("../machine/sys/route.ts");
      const { repository, apiUrl } = context;
      route ??= openRoute(apiUrl, process.env);
      return connectGitHub({ token, repository, apiUrl, route, clock: systemClock, log });
    },
  });
  janitor.cleanUp();
  // Not left to the event loop: what a cancelled request still waits for must not hold up the
  // runner.
  process.exit(conclusion.state === "success" ? 0 : 1);
}
