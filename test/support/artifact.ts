// Artifacts as a measuring job hands them over, for tests of what reads them.
import { ARTIFACT_FILES, type Manifest } from "../../src/core/model/manifest.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { makeZip, type ZipEntry } from "./zip.ts";

export const MANIFEST: Manifest = {
  schema: "tailgate.manifest.v1",
  tool: "tailgate 0.1.0",
  run: { id: 4711, attempt: 1 },
};

export function samplesEntry(json: string | Uint8Array): ZipEntry {
  return { name: ARTIFACT_FILES.samples, data: Buffer.from(json) };
}

export function manifestEntry(manifest: unknown = MANIFEST): ZipEntry {
  return { name: ARTIFACT_FILES.manifest, data: Buffer.from(JSON.stringify(manifest)) };
}

export function makeArtifact(samples: Samples, manifest: Manifest = MANIFEST): Uint8Array {
  return makeZip([samplesEntry(JSON.stringify(samples)), manifestEntry(manifest)]);
}
