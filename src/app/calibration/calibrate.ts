// `calibrate`: rounds of identical arms on this machine, or from a file, to a runner's profile.
import { join, resolve } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { profileOf } from "../../core/calibration/profile.ts";
import type { Profile } from "../../core/model/profile.ts";
import type { Samples } from "../../core/model/samples.ts";
import { faultDetail, faultText } from "../../core/report/words/faults.ts";
import { fullName } from "../../core/report/words/names.ts";
import { findFaults } from "../../core/verdict/validity.ts";
import { profilePath, writeProfile } from "../documents/profile.ts";
import { readSamples } from "../documents/samples.ts";
import { measureInto } from "../gate/measure.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";

interface Calibration {
  profile: Profile;
  /** What was written, the profile first; empty when nothing was. */
  files: string[];
}

export const DEFAULT_ROUNDS = 16;
const SAMPLES_FILE = "calibration.samples.v1.json";
const DEFAULT_SEED = 1;

/** `rounds`: of every service. */
export async function calibrate(
  rounds: number,
  project: Project,
  environment: Environment,
): Promise<Calibration> {
  const plan = { kind: "rounds", rounds, reference: "candidate" } as const;
  const { samples, path } = await measureInto(SAMPLES_FILE, plan, project, environment);
  environment.progress.stage("judge");
  const profile = profileFrom(samples, project.config.seed, environment);
  const stored = profilePath(project);
  writeProfile(stored, profile);
  return { profile, files: [stored, path] };
}

/**
 * From samples of identical arms, of some machine: nothing is stored as this repository's unless
 * asked for.
 */
export function calibrateFrom(
  { samples, seed, out }: { samples: string; seed: number | null; out: string | null },
  environment: Environment,
): Calibration {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  const profile = profileFrom(readSamples(at(samples)), seed, environment);
  if (out === null) return { profile, files: [] };
  const path = join(at(out), "profile.v1.json");
  writeProfile(path, profile);
  return { profile, files: [path] };
}

function profileFrom(samples: Samples, seed: number | null, environment: Environment): Profile {
  if (samples.run.state === "interrupted") {
    throw new UserError("stopped by a signal: nothing was calibrated", {}, "interrupted");
  }
  const fault = findFaults(samples)[0];
  if (fault !== undefined) {
    const text = `the rounds cannot be trusted: ${faultText(fault)}`;
    const next = "tailgate doctor says what disturbs this machine; then calibrate again.";
    throw new UserError(text, { detail: faultDetail(fault), next }, "invalid");
  }
  return profileOf(samples, {
    seed: seed ?? DEFAULT_SEED,
    onMetric: (metric) =>
      environment.progress.status(`simulated what ${fullName(metric)} can show`),
  });
}
