// Going on with a run that has no answer yet: only with the same builds, workloads and dependencies,
// on the same machine.
import { existsSync } from "node:fs";
import { asWritten } from "../../core/base/as-written.ts";
import { UserError } from "../../core/base/errors.ts";
import { ConfigSchema } from "../../core/model/config.ts";
import type { DependencyFacts, RunEnd, Samples } from "../../core/model/samples.ts";
import { END_WORDS, faultText } from "../../core/report/words/faults.ts";
import { findFaults } from "../../core/verdict/validity.ts";
import { readSamples } from "../documents/samples.ts";
import type { Resume } from "../project/project.ts";

/** An earlier run, which is gone on with if it is of the same things. */
export interface Earlier {
  samples: Samples;
  /**
   * Called with the reason where it is not; unless that throws, everything is measured anew.
   */
  misfit(why: string): void;
}

/** Null: nothing is gone on with. `note` is told why not, where that is no error. */
export function earlierRun(
  resume: Resume,
  path: string,
  note: (text: string) => void,
): Earlier | null {
  if (resume === "never") return null;
  if (resume === "always") {
    return { samples: readEarlier(path), misfit: (why) => refuseToContinue(path, why) };
  }
  const misfit = (why: string): void =>
    note(`the earlier rounds are left out, and all is measured anew: ${why}`);
  const samples = readSamples(path);
  const why = whyOver(samples);
  if (why === null) return { samples, misfit };
  misfit(why);
  return null;
}

export function readEarlier(path: string): Samples {
  const earlier = readUnfinished(path, readSamples, judgeIt(path));
  const why = whyFailed(earlier);
  if (why === null) return earlier;
  throw new UserError(`--resume: the run in ${path} failed and cannot go on: ${why}`, {
    next: `${judgeIt(path)} Or start a new run without --resume.`,
  });
}

const judgeIt = (path: string): string => `Judge it: tailgate judge ${path}.`;

/** Null: more rounds may still answer what is open. */
function whyOver(samples: Samples): string | null {
  const { run } = samples;
  if (isAnswered(run)) return `that run has its answer (${END_WORDS[run.ended]})`;
  const failed = whyFailed(samples);
  return failed === null ? null : `that run failed: ${failed}`;
}

/**
 * Ends to which no rounds can be added. The rule may look after any round, so that a run which ended
 * for want of time or of an answer loses nothing by going on; one that regressed answers the rest.
 */
const FINAL = new Set<RunEnd>(["answered", "rounds", "launches", "screened", "max-rounds"]);

function isAnswered({ state, ended }: Pick<Samples["run"], "state" | "ended">): boolean {
  return state === "complete" && FINAL.has(ended);
}

/**
 * A run that failed has its answer: going on until it does not fail would select what is judged.
 * Null: it may go on.
 */
function whyFailed(samples: Samples): string | null {
  const faults = findFaults(samples);
  const hasFailed = samples.run.state === "failed";
  const grave =
    faults.find(({ kind }) => kind === "failure") ?? (hasFailed ? faults[0] : undefined);
  if (grave !== undefined) return faultText(grave);
  return hasFailed ? END_WORDS.failed : null;
}

/** `use` says what a file is good for that has its answer. */
export function readUnfinished<T extends { run: Pick<Samples["run"], "state" | "ended"> }>(
  path: string,
  read: (path: string) => T,
  use: string,
): T {
  if (!existsSync(path)) {
    throw new UserError(`--resume: there is no ${path}`, { next: "Start a run without --resume." });
  }
  const earlier = read(path);
  if (isAnswered(earlier.run)) {
    throw new UserError(
      `--resume: the run in ${path} is complete (${END_WORDS[earlier.run.ended]})`,
      { next: `${use} Or start a new run without --resume.` },
    );
  }
  return earlier;
}

export function refuseToContinue(path: string, why: string): never {
  throw new UserError(`--resume: ${path} cannot be continued: ${why}`, {
    next: "Start a new run without --resume.",
  });
}

/**
 * The earlier rounds with this session's facts, if they are of the same things. This session has a
 * time budget of its own.
 */
export function continued(earlier: Earlier, fresh: Samples): Samples {
  const { samples, misfit } = earlier;
  const different = differenceOf(samples, fresh);
  if (different !== null) {
    misfit(different);
    return fresh;
  }
  const { config, sources } = fresh;
  const { policy } = config;
  const timeBudgetMs = policy.timeBudgetMs + Math.ceil(samples.run.measuredMs);
  const { rounds, run } = samples;
  const continuedAfter = [...(run.continuedAfter ?? []), rounds.length];
  // As they were fixed before the first round.
  const { autoMargins } = samples.config.policy;
  return {
    ...samples,
    // Equal builds may be of commits that differ in name, and those of now are the ones to judge.
    sources,
    config: { ...config, policy: { ...policy, timeBudgetMs, autoMargins } },
    run: { ...run, state: "running", ended: "running", continuedAfter },
  };
}

/** Null: both are of the same builds, workloads and machine. */
function differenceOf(earlier: Samples, fresh: Samples): string | null {
  const factsOf = ({ artifacts, unchanged = [], config, host, run }: Samples) => {
    const { services, scenarios, dependencies } = asWritten(ConfigSchema, config);
    const built = artifacts.map(({ arm, service, key }) => `${arm} ${service} ${key}`).sort();
    return {
      "the builds differ": [built, unchanged.map(({ service, key }) => `${service} ${key}`)],
      "services, scenarios or dependencies differ": [services, scenarios, dependencies],
      "it is another machine": host.fingerprint,
      "it is another shard": run.shard,
      "it compared with something else": run.compare,
    };
  };
  return firstDifference(factsOf(earlier), factsOf(fresh));
}

/** Of facts by what there is to say where they differ; null: they are alike. */
export function firstDifference<Facts extends object>(then: Facts, now: Facts): string | null {
  const text = (facts: Facts, why: string) => JSON.stringify(facts[why as keyof Facts]);
  return Object.keys(now).find((why) => text(then, why) !== text(now, why)) ?? null;
}

/** How a session starts: without a round, as `fresh` is, or as an earlier one left off. */
export interface Beginning {
  begun: Samples;
  fresh: Samples;
  earlier: Earlier | null;
}

/** A resumed run must find in its dependencies what the earlier session did. */
export function withDependencies(
  { begun, fresh, earlier }: Beginning,
  facts: DependencyFacts[],
): Samples {
  const known = begun.dependencies;
  if (known === undefined || sameFacts(known, facts)) return { ...begun, dependencies: facts };
  earlier?.misfit("what the services need differs");
  return { ...fresh, dependencies: facts };
}

/** What an older version saw written varies; what the arms were given does not. */
function sameFacts(known: readonly DependencyFacts[], facts: readonly DependencyFacts[]): boolean {
  const fixed = (all: readonly DependencyFacts[]): string =>
    JSON.stringify(all.map(({ written: _, ...rest }) => rest));
  return fixed(known) === fixed(facts);
}
