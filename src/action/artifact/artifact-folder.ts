// The folder that actions/upload-artifact takes: samples and manifest, and nothing else. Written by
// the job that measures; read here only by the job that merges shards of its own run, never from a
// stranger (fetch-artifact.ts does that).
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DocumentKind } from "../../app/documents/document.ts";
import { readSamples } from "../../app/documents/samples.ts";
import { messageOf, UserError } from "../../core/base/errors.ts";
import { ARTIFACT_FILES, type Manifest } from "../../core/model/manifest.ts";
import { type Samples, SamplesSchema } from "../../core/model/samples.ts";
import type { ShardSamples } from "../../core/verdict/merge-shards.ts";

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

const SHARD: DocumentKind<Samples> = {
  schema: SamplesSchema,
  what: "shard's samples file",
  next: "Use the same version of Tailgate in all jobs of a run.",
  failure: "invalid",
};

/** The samples in `folder` and in the folders inside it, in the order of their names. */
export function readShards(folder: string): ShardSamples[] {
  if (!existsSync(folder)) {
    throw new UserError(`shards-folder: there is no ${folder}`, {
      next: `Write before it:
- uses: actions/download-artifact@v8
  with:
    pattern: shard-*
    path: shards`,
    });
  }
  const inside = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return [".", ...inside].flatMap((name) => {
    const path = join(folder, name, ARTIFACT_FILES.samples);
    return existsSync(path) ? [{ name, samples: readSamples(path, SHARD) }] : [];
  });
}
