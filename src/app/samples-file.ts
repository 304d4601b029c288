// The samples file: read strictly, written whole after every round, so that a killed run keeps what it measured.
import { readFileSync, statSync } from "node:fs";
import { messageOf, UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { type Samples, SamplesSchema } from "../model/samples.ts";
import { writeFileAtomic } from "../sys/files.ts";

/** A run of 60 rounds and 10 scenarios is about 20 MB; anything far beyond was not written by us. */
const MAX_BYTES = 256 * 1024 * 1024;

export function readSamples(path: string): Samples {
  const value = readJson(path, "samples file");
  const parsed = SamplesSchema.safeParse(value);
  if (!parsed.success) {
    throw new UserError(
      `${path} is not a samples file of this version: ${describeIssues(parsed.error, value)[0] ?? ""}`,
      {
        detail: describeIssues(parsed.error, value).slice(1, 10).join("\n"),
        next: "A file written by another version cannot be judged by this one; measure again.",
      },
    );
  }
  return parsed.data;
}

export function writeSamples(path: string, samples: Samples): void {
  writeFileAtomic(path, `${JSON.stringify(samples)}\n`);
}

/** Any JSON file as a value; UserErrors name the file and the place. */
export function readJson(path: string, what: string): unknown {
  const text = readText(path, what);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError(`${path} is not JSON: ${messageOf(error)}`, {
      next: `Name a ${what} that tailgate wrote.`,
    });
  }
}

/** A file's text, with a limit on its size. */
export function readText(path: string, what = "file"): string {
  try {
    if (statSync(path).size > MAX_BYTES) {
      throw new UserError(`${path}: larger than any ${what} (${MAX_BYTES / 1024 / 1024} MiB)`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`cannot read the ${what} ${path}: ${messageOf(error)}`);
  }
}
