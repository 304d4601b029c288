// Going on with a run that was interrupted: only with the same builds, workloads and dependencies, on the same machine.
import { existsSync } from "node:fs";
import { UserError } from "../base/errors.ts";
import type { DependencyFacts, Samples } from "../model/samples.ts";
import { OUT_OF_TIME } from "./rotation.ts";
import { readSamples } from "./samples-file.ts";

/** A run that failed has its answer: going on until it does not fail would select what is judged. */
export function readEarlier(path: string): Samples {
  const earlier = readUnfinished(path, readSamples, JUDGE);
  const failed = earlier.rounds.find(({ failure }) => failure !== null)?.failure;
  if (earlier.run.state === "failed" || failed !== undefined) {
    const why = failed?.text ?? earlier.run.ended;
    throw new UserError(`--resume: the run in ${path} failed and cannot go on: ${why}`, {
      next: `${JUDGE} Or start a new run without --resume.`,
    });
  }
  return earlier;
}

const JUDGE = "Judge it: tailgate judge.";

/** One that ended for want of time can go on with more of it. `use` says what a complete file is good for. */
export function readUnfinished<T extends { run: Pick<Samples["run"], "state" | "ended"> }>(
  path: string,
  read: (path: string) => T,
  use: string,
): T {
  if (!existsSync(path)) {
    throw new UserError(`--resume: there is no ${path}`, {
      next: "Start a run without --resume.",
    });
  }
  const earlier = read(path);
  if (earlier.run.state === "complete" && earlier.run.ended !== OUT_OF_TIME) {
    throw new UserError(`--resume: the run in ${path} is complete (${earlier.run.ended})`, {
      next: `${use} Or start a new run without --resume.`,
    });
  }
  return earlier;
}

export function refuseToContinue(path: string, why: string): never {
  throw new UserError(`--resume: ${path} cannot be continued: ${why}`, {
    next: "Start a new run without --resume.",
  });
}

/** The earlier rounds with this session's facts, if they are of the same things and there is time left. */
export function continued(earlier: Samples, fresh: Samples, path: string): Samples {
  const builds = (samples: Samples): string =>
    samples.artifacts
      .map(({ arm, service, key }) => `${arm} ${service} ${key}`)
      .sort()
      .join("\n");
  const measured = ({ config }: Samples): string =>
    JSON.stringify([config.services, config.scenarios, config.dependencies]);
  const different =
    builds(earlier) !== builds(fresh)
      ? "the builds differ"
      : measured(earlier) !== measured(fresh)
        ? "services, scenarios or dependencies differ"
        : JSON.stringify(earlier.host.fingerprint) !== JSON.stringify(fresh.host.fingerprint)
          ? "it is another machine"
          : earlier.run.compare !== fresh.run.compare
            ? "it compared with something else"
            : null;
  if (different !== null) refuseToContinue(path, different);
  const { timeBudgetMs } = fresh.config.policy;
  if (earlier.run.measuredMs >= timeBudgetMs) {
    const seconds = (ms: number): number => Math.round(ms / 1000);
    throw new UserError(
      `--resume: the run in ${path} has measured for ${seconds(earlier.run.measuredMs)} s, and the time budget of all its sessions is ${seconds(timeBudgetMs)} s`,
      { next: "Give it more: --time-budget." },
    );
  }
  return {
    ...earlier,
    config: fresh.config,
    run: { ...earlier.run, state: "running", ended: "" },
  };
}

/** A resumed run must find in them what the earlier session did. */
export function withDependencies(begun: Samples, facts: DependencyFacts[], path: string): Samples {
  const known = begun.dependencies;
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(facts)) {
    refuseToContinue(path, "what the services need differs");
  }
  return { ...begun, dependencies: facts };
}
