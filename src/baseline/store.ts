// Baseline files: <dir>/<runner class>/<service>.json, read strictly, written sorted so that a diff can be reviewed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { renderReviewableJson } from "../base/reviewable-json.ts";
import { type Baseline, BaselineSchema } from "../model/baseline.ts";
import { writeFileAtomic } from "../sys/files.ts";

export function baselinePath(dir: string, runnerClass: string, service: string): string {
  return join(dir, runnerClass, `${service}.json`);
}

/** The baselines there are; a file that is there and cannot be used is an error, never an absent baseline. */
export function readBaselines(
  dir: string,
  runnerClass: string,
  services: readonly string[],
): Baseline[] {
  return services.flatMap((service) => {
    const path = baselinePath(dir, runnerClass, service);
    return existsSync(path) ? [readBaseline(path, { runnerClass, service })] : [];
  });
}

export interface Place {
  runnerClass: string;
  service: string;
}

const NEXT = "Restore the file from git, or record it again: tailgate baseline record.";

export function readBaseline(path: string, expected: Place): Baseline {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw new UserError(`baseline ${path} cannot be read: ${messageOf(error)}`, { next: NEXT });
  }
  return parseBaseline(text, path, expected);
}

/** `path` is for messages; `expected` is what it stands for. */
export function parseBaseline(text: string, path: string, expected: Place): Baseline {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError(`baseline ${path} cannot be read: ${messageOf(error)}`, { next: NEXT });
  }
  const parsed = BaselineSchema.safeParse(value);
  if (!parsed.success) {
    const [first = "", ...rest] = describeIssues(parsed.error, value);
    throw new UserError(`baseline ${path} is not valid: ${first}`, {
      detail: rest.slice(0, 9).join("\n"),
      next: NEXT,
    });
  }
  const { service, runnerClass } = parsed.data;
  if (service !== expected.service || runnerClass !== expected.runnerClass) {
    throw new UserError(
      `baseline ${path} is of ${runnerClass}/${service}, but its place says ${expected.runnerClass}/${expected.service}`,
      { next: NEXT },
    );
  }
  return parsed.data;
}

export function writeBaseline(dir: string, baseline: Baseline): string {
  const path = baselinePath(dir, baseline.runnerClass, baseline.service);
  writeFileAtomic(path, renderBaseline(baseline));
  return path;
}

export function renderBaseline(baseline: Baseline): string {
  return renderReviewableJson(baseline);
}
