// The folder that actions/upload-artifact takes: samples and manifest, and nothing else. Written by the job that measures; read
// here only by the job that merges shards of its own run, never from a stranger (publish/ does that).
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ShardSamples } from "../app/merge-shards.ts";
import { messageOf, UserError } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { SamplesSchema } from "../model/samples.ts";
import { ARTIFACT_FILES, ARTIFACT_LIMITS, type Manifest } from "../publish/manifest.ts";

/** Beside the reports, so that one folder is uploaded and the other looked at. */
export const ARTIFACT_FOLDER = "artifact";

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
    writeFileSync(join(folder, ARTIFACT_FILES.samples), gzipSync(readFileSync(samplesPath)));
    writeFileSync(join(folder, ARTIFACT_FILES.manifest), `${JSON.stringify(manifest)}\n`);
  } catch (error) {
    throw new UserError(`cannot write the artifact folder ${folder}: ${messageOf(error)}`);
  }
  return folder;
}

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
    return existsSync(path) ? [{ name, samples: readGzippedSamples(path) }] : [];
  });
}

function readGzippedSamples(path: string): ShardSamples["samples"] {
  let value: unknown;
  try {
    const options = { maxOutputLength: ARTIFACT_LIMITS.samplesBytes };
    value = JSON.parse(gunzipSync(readFileSync(path), options).toString("utf8"));
  } catch (error) {
    throw new UserError(`the shard ${path} cannot be read: ${messageOf(error)}`, {}, "invalid");
  }
  const parsed = SamplesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UserError(
    `the shard ${path} is not of this version: ${describeIssues(parsed.error, value)[0] ?? ""}`,
    { next: "Use the same version of Tailgate in all jobs of a run." },
    "invalid",
  );
}
