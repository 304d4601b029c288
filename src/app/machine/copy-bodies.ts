// Puts the body files of a run where the load generator reads them: what is sent is what the
// samples file names, even when somebody edits the file while the run goes on.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { filesOf, type Scenario } from "../../core/model/config.ts";
import { splitIntoParts } from "../../core/model/mix.ts";
import { placedBody } from "../../core/slice/load.ts";
import { readBodyFile, sha256Of } from "../config/body-file.ts";

/** `root` is the repository's; `folder` the run's own. */
export function copyBodies(scenarios: readonly Scenario[], root: string, folder: string): void {
  for (const { id, request } of splitIntoParts(scenarios)) {
    for (const file of filesOf(request)) {
      const read = readBodyFile(root, file);
      const next = "Leave the file alone while a run prepares, and start again.";
      if (!read.ok) throw new UserError(`${id}: cannot read ${file.path}: ${read.why}`, { next });
      if (read.bytes.length !== file.bytes || sha256Of(read.bytes) !== file.sha256) {
        throw new UserError(`${id}: ${file.path} has changed since this run began`, { next });
      }
      writeFileSync(join(folder, placedBody(file)), read.bytes);
    }
  }
}
