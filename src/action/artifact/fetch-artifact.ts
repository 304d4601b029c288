// An artifact of a workflow run, from GitHub to what is in it.
import { ARTIFACT_LIMITS } from "../../core/model/manifest.ts";
import { type Problem, problem } from "../../core/untrusted/problem.ts";
import type { Artifact, GitHub } from "../../github/port.ts";
import { type ArtifactContents, readArtifactZip } from "./read-artifact-zip.ts";

/** Of several with a name, such as one of each attempt, the newest first; expired ones too. */
export function newestNamed(artifacts: readonly Artifact[], name: string): Artifact[] {
  return artifacts.filter((one) => one.name === name).sort((a, b) => b.id - a.id);
}

/** Whatever its bytes are, the answer is the contents or a problem; GitHub's failures are thrown. */
export async function fetchArtifact(
  { id, sizeBytes }: Artifact,
  github: Pick<GitHub, "downloadArtifact">,
): Promise<ArtifactContents | Problem> {
  const maxBytes = ARTIFACT_LIMITS.zipBytes;
  if (sizeBytes > maxBytes) {
    return problem(`the artifact has ${sizeBytes} bytes, at most ${maxBytes} are read`);
  }
  return await readArtifactZip(await github.downloadArtifact(id, { maxBytes }));
}
