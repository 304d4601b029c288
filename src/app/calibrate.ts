// `calibrate`: rounds of identical arms on this machine, or from a file, to a runner's profile.
import { join, resolve } from "node:path";
import { UserError } from "../base/errors.ts";
import type { Config, Scenario } from "../model/config.ts";
import type { Profile } from "../model/profile.ts";
import type { Samples } from "../model/samples.ts";
import { findFaults } from "../verdict/validity.ts";
import { profilePath, writeProfile } from "./calibrate-file.ts";
import { VARIANT_MARK } from "./calibrate-metric.ts";
import { profileOf } from "./calibrate-profile.ts";
import { measure } from "./measure.ts";
import { prepareOutputFolder } from "./outcome.ts";
import { openProject, type Project } from "./project.ts";
import { readSamples } from "./samples-file.ts";
import type { Environment, MeasureOptions } from "./settings.ts";

export interface CalibrateOptions extends Omit<MeasureOptions, "compare" | "reference"> {
  /** Rounds of every service. */
  rounds: number;
  /** Other lengths of slices to measure beside the configured ones, milliseconds. */
  sliceMs: readonly number[];
  /** Samples of identical arms to calibrate from instead of measuring; null: measure. */
  from: string | null;
}

export interface Calibration {
  profile: Profile;
  /** What was written, the profile first; empty when nothing was. */
  files: string[];
}

export const DEFAULT_ROUNDS = 16;
const SAMPLES_FILE = "calibration.samples.v1.json";
const DEFAULT_SEED = 1;

export async function calibrate(
  options: CalibrateOptions,
  environment: Environment,
): Promise<Calibration> {
  const { progress } = environment;
  if (options.from !== null) {
    // Recorded samples are of some machine: nothing is stored as this repository's unless asked for.
    const samples = readSamples(resolve(environment.workingFolder, options.from));
    const profile = profileFrom(samples, options.seed, environment);
    if (options.out === null) return { profile, files: [] };
    const path = join(resolve(environment.workingFolder, options.out), "profile.v1.json");
    writeProfile(path, profile);
    return { profile, files: [path] };
  }
  const project = withSlices(await openProject(options, environment), options.sliceMs);
  prepareOutputFolder(project.out);
  const path = join(project.out, SAMPLES_FILE);
  const samples = await measure(
    {
      project,
      baselines: [],
      options: { ...options, compare: "base", reference: null },
      compare: "base",
      path,
      arms: "same",
      rounds: options.rounds,
    },
    environment,
  );
  progress.stage("judge");
  const profile = profileFrom(samples, options.seed, environment);
  const stored = profilePath(project);
  writeProfile(stored, profile);
  return { profile, files: [stored, path] };
}

function profileFrom(samples: Samples, seed: number | null, environment: Environment): Profile {
  if (samples.run.state === "interrupted") {
    throw new UserError("stopped by a signal: nothing was calibrated", {}, "interrupted");
  }
  const fault = findFaults(samples)[0];
  if (fault !== undefined) {
    throw new UserError(
      `the rounds cannot be trusted: ${fault.text}`,
      {
        detail: fault.detail,
        next: "tailgate doctor says what disturbs this machine; then calibrate again.",
      },
      "invalid",
    );
  }
  return profileOf(samples, {
    seed: seed ?? DEFAULT_SEED,
    onMetric: (id) => environment.progress.status(`simulated what ${id} can show`),
  });
}

/** Every scenario again with slices of each other length, as many as make up the same load. */
function withSlices(project: Project, lengthsMs: readonly number[]): Project {
  const variants = project.config.scenarios.flatMap((scenario) =>
    lengthsMs
      .filter((durationMs) => durationMs !== scenario.slice.durationMs)
      .map((durationMs) => variantOf(scenario, durationMs)),
  );
  const config: Config = {
    ...project.config,
    scenarios: [...project.config.scenarios, ...variants],
  };
  return { ...project, config };
}

function variantOf(scenario: Scenario, durationMs: number): Scenario {
  const loadMs = scenario.slice.durationMs * scenario.slice.pairs;
  const name = `${scenario.name}${VARIANT_MARK}${durationMs}ms`;
  return {
    ...scenario,
    id: `${scenario.service}/${name}`,
    name,
    slice: { durationMs, pairs: Math.max(2, Math.round(loadMs / durationMs)) },
  };
}
