// `demo`: gates a change of the demonstration's own service as any change is gated, and leaves the
// reports.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { UserError } from "../core/base/errors.ts";
import { Git } from "../machine/build/git.ts";
import { makeTemporaryFolder } from "../machine/sys/files.ts";
import { janitor } from "../machine/sys/janitor.ts";
import { prepareOutputFolder, writeReports } from "./documents/reports.ts";
import { gate } from "./gate/gate.ts";
import { openProject } from "./project/project.ts";
import type { Environment, ProjectOptions } from "./settings.ts";

/** `out`: null: a folder beside other temporary ones. */
export async function showDemo(
  { out, lockTimeoutMs }: Pick<ProjectOptions, "out" | "lockTimeoutMs">,
  environment: Environment,
) {
  const { makeRepository, tellDemo } = await environment.satellites.demo();
  const asked = out == null ? null : resolve(environment.workingFolder, out);
  // Where nothing can be written is told now, not after a minute of load.
  if (asked !== null) prepareOutputFolder(asked);
  const workingFolder = makeTemporaryFolder();
  try {
    const inside = { ...environment, workingFolder };
    const git = new Git(workingFolder, join(workingFolder, ".git"), inside);
    await makeRepository(workingFolder, (args) => git.read(args));
    const project = await openProject({ lockTimeoutMs, noExplain: true }, inside);
    const { report, files } = await gate(project, inside);
    if (environment.abort.aborted)
      throw new UserError("stopped by a signal: the demo leaves no report", {}, "interrupted");
    const contents = files.map((file) => [basename(file), readFileSync(file)]);
    const kept = asked ?? mkdtempSync(join(tmpdir(), "tailgate-demo-"));
    const moved = writeReports(kept, Object.fromEntries(contents));
    return { report, files: moved, says: tellDemo(report, moved) };
  } finally {
    janitor.removePath(workingFolder);
  }
}
