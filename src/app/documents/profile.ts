// A runner's profile on disk: <baselines>/<runner class>/_profile.json, beside the baselines of the
// same machines. It is reviewed like them, survives a wiped cache, and reaches whoever plans at a
// desk. The underscore keeps it apart from a service's baseline: no name begins with one.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { renderReviewableJson } from "../../core/base/reviewable-json.ts";
import type { Config } from "../../core/model/config.ts";
import { type Profile, ProfileSchema } from "../../core/model/profile.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import type { Project } from "../project/project.ts";
import { parseDocument, readText } from "./document.ts";

const FILE = "_profile.json";

export function profilePath({ root, config }: Pick<Project, "root" | "config">): string {
  return join(root, config.baselines.dir, config.runner.class, FILE);
}

/**
 * Null: this class of runner was never calibrated. A file that is there and cannot be used is an
 * error.
 */
export function readProfile(project: Pick<Project, "root" | "config">): Profile | null {
  const path = profilePath(project);
  return existsSync(path) ? parseProfile(readText(path, PROFILE), path, project.config) : null;
}

const PROFILE = {
  schema: ProfileSchema,
  what: "runner profile",
  next: "Calibrate again: tailgate calibrate. Or remove the file: it tells what to expect, and margins that are auto.",
};

/** `path` is for messages. */
export function parseProfile(
  text: string,
  path: string,
  { runner }: Pick<Config, "runner">,
): Profile {
  const profile = parseDocument(text, path, PROFILE);
  const { runnerClass } = profile;
  if (runnerClass === runner.class) return profile;
  throw new UserError(
    `runner profile ${path} is of class ${runnerClass}, but its place says ${runner.class}`,
    { next: "Calibrate again: tailgate calibrate." },
  );
}

export function writeProfile(path: string, profile: Profile): void {
  writeFileAtomic(path, renderReviewableJson(profile));
}
