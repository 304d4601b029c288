// The folder that actions/upload-artifact takes: samples and manifest, and nothing else. Written by
// the job that measures; a stranger's is read by fetch-artifact.ts.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { ARTIFACT_FILES, type Manifest } from "../../core/model/manifest.ts";

/** Beside the reports, so that one folder is uploaded and the other looked at. */
const ARTIFACT_FOLDER = "artifact";

/** Returns the folder. */
export function writeArtifactFolder(
  samplesPath: string,
  out: string,
  about: { version: string; runId: number; attempt: number },
): string {
  const manifest: Manifest = {
    schema: "tailgate.manifest.v1",
    tool: `tailgate ${about.version}`,
    run: { id: about.runId, attempt: about.attempt },
  };
  const folder = join(out, ARTIFACT_FOLDER);
  try {
    mkdirSync(folder, { recursive: true });
    copyFileSync(samplesPath, join(folder, ARTIFACT_FILES.samples));
    writeFileSync(join(folder, ARTIFACT_FILES.manifest), `${JSON.stringify(manifest)}\n`);
  } catch (error) {
    throw new UserError(`cannot write the artifact folder ${folder}: ${messageOf(error)}`);
  }
  return folder;
}
