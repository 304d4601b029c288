// Baseline files: <dir>/<runner class>/<service>@<machine>.json, read strictly, written sorted so that
// a diff can be reviewed. Older versions wrote <service>.json, whatever the machine.
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { renderReviewableJson } from "../../core/base/reviewable-json.ts";
import { type Baseline, BaselineSchema } from "../../core/model/baseline.ts";
import type { Config } from "../../core/model/config.ts";
import { machineOf } from "../../core/model/workload.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import { listOrEmpty } from "../../machine/sys/or-null.ts";
import { parseDocument, readText } from "./document.ts";

export function baselinePath(dir: string, { service, runnerClass, fingerprint }: Baseline): string {
  return join(dir, runnerClass, `${service}@${machineOf(fingerprint)}.json`);
}

/** Of which of the services a file has a baseline by its name; undefined: of none. */
export function serviceOfFile(file: string, services: Config["services"]): string | undefined {
  return services.find(({ name }) => file.replace(/@.*(?=\.json$)/, "") === `${name}.json`)?.name;
}

/**
 * The baselines there are, of every machine; a file that is there and cannot be used is an error,
 * never an absent baseline.
 */
export function readBaselines(
  dir: string,
  config: Pick<Config, "runner" | "services">,
): Baseline[] {
  const runnerClass = config.runner.class;
  const folder = join(dir, runnerClass);
  return listOrEmpty(folder).flatMap((name) => {
    const service = serviceOfFile(name, config.services);
    return service === undefined ? [] : readBaseline(join(folder, name), { runnerClass, service });
  });
}

type Place = Pick<Baseline, "runnerClass" | "service">;

const NEXT = "Restore the file from git, or record it again: tailgate baseline record.";
const BASELINE = { schema: BaselineSchema, what: "baseline", next: NEXT };

export function readBaseline(path: string, expected: Place): Baseline {
  return parseBaseline(readText(path, BASELINE), path, expected);
}

/** `path` is for messages; `expected` is what it stands for. */
export function parseBaseline(text: string, path: string, expected: Place): Baseline {
  const baseline = parseDocument(text, path, BASELINE);
  const { service, runnerClass } = baseline;
  if (service !== expected.service || runnerClass !== expected.runnerClass) {
    throw new UserError(
      `baseline ${path} is of ${runnerClass}/${service}, but its place says ${expected.runnerClass}/${expected.service}`,
      { next: NEXT },
    );
  }
  return baseline;
}

export function writeBaseline(dir: string, baseline: Baseline): string {
  const path = baselinePath(dir, baseline);
  writeFileAtomic(path, renderReviewableJson(baseline));
  return path;
}
