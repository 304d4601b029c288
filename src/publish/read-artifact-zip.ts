// The zip that a measuring job uploaded, as hostile data: exactly the two files, within limits, or words on what is wrong.
// Nothing is written anywhere and no name in the zip is ever used as a path. The one file of this room that needs node.
import { crc32, gunzipSync, inflateRawSync } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { messageOf } from "../base/errors.ts";
import type { Samples } from "../model/samples.ts";
import { ARTIFACT_FILES, ARTIFACT_LIMITS, type ArtifactLimits, type Manifest } from "./manifest.ts";
import { parseUntrustedManifest, parseUntrustedSamples } from "./parse-untrusted-samples.ts";
import { type Problem, problem } from "./problem.ts";

export interface ArtifactContents {
  kind: "artifact";
  samples: Samples;
  manifest: Manifest;
}

/** Time and memory are bounded by `limits`. Whatever the bytes are, the answer is the contents or a problem. */
export async function readArtifactZip(
  bytes: Uint8Array,
  limits: ArtifactLimits = ARTIFACT_LIMITS,
): Promise<ArtifactContents | Problem> {
  if (bytes.length > limits.zipBytes) {
    return problem(`the artifact is ${bytes.length} bytes, at most ${limits.zipBytes} are read`);
  }
  try {
    const files = await unpack(bytes, limits);
    if (files instanceof Map) return parse(files, limits);
    return files;
  } catch (error) {
    return problem(`the artifact is not a zip that can be read: ${messageOf(error)}`);
  }
}

function parse(
  files: ReadonlyMap<string, Uint8Array>,
  limits: ArtifactLimits,
): ArtifactContents | Problem {
  const [gzip, manifestBytes] = [
    files.get(ARTIFACT_FILES.samples),
    files.get(ARTIFACT_FILES.manifest),
  ];
  if (gzip === undefined) return problem(`the artifact has no ${ARTIFACT_FILES.samples}`);
  if (manifestBytes === undefined) return problem(`the artifact has no ${ARTIFACT_FILES.manifest}`);

  const manifestText = textOf(manifestBytes, ARTIFACT_FILES.manifest);
  if (typeof manifestText !== "string") return manifestText;
  const manifest = parseUntrustedManifest(manifestText, ARTIFACT_FILES.manifest, limits.json);
  if (manifest.kind === "problem") return manifest;

  const unzipped = gunzip(gzip, limits.samplesBytes);
  if (!(unzipped instanceof Uint8Array)) return unzipped;
  const samplesText = textOf(unzipped, ARTIFACT_FILES.samples);
  if (typeof samplesText !== "string") return samplesText;
  const samples = parseUntrustedSamples(samplesText, ARTIFACT_FILES.samples, limits.json);
  if (samples.kind === "problem") return samples;
  return { kind: "artifact", samples: samples.samples, manifest: manifest.manifest };
}

async function unpack(
  bytes: Uint8Array,
  limits: ArtifactLimits,
): Promise<Map<string, Uint8Array> | Problem> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { strictFileNames: true });
  const expected = Object.values(ARTIFACT_FILES);
  if (zip.entryCount !== expected.length) {
    return problem(
      `the artifact has ${zip.entryCount} entries; it must be exactly ${expected.join(" and ")}`,
    );
  }
  const files = new Map<string, Uint8Array>();
  for await (const entry of zip.eachEntry()) {
    const trouble = refusal(entry, limits, files);
    if (trouble !== null)
      return problem(`the artifact's entry ${shown(entry.fileName)} ${trouble}`);
    const data = await extract(zip, entry, buffer);
    if (!(data instanceof Uint8Array)) return data;
    files.set(entry.fileName, data);
  }
  return files;
}

const STORED = 0;
const DEFLATED = 8;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

function refusal(
  entry: Entry,
  limits: ArtifactLimits,
  seen: ReadonlyMap<string, unknown>,
): string | null {
  const allowed: Readonly<Record<string, number>> = {
    [ARTIFACT_FILES.samples]: limits.gzipBytes,
    [ARTIFACT_FILES.manifest]: limits.manifestBytes,
  };
  if (!Object.hasOwn(allowed, entry.fileName)) return "is not one of the two files that are read";
  if (seen.has(entry.fileName)) return "is there twice";
  if (entry.isEncrypted()) return "is encrypted";
  // The upper half holds Unix modes; zero where the zip was made elsewhere.
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE_MASK;
  if (type !== 0 && type !== REGULAR_FILE) return "is a link or a device, not a file";
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    return `is compressed by method ${entry.compressionMethod}, which is not read`;
  }
  const most = allowed[entry.fileName] ?? 0;
  if (entry.uncompressedSize > most) {
    return `unpacks to ${entry.uncompressedSize} bytes, at most ${most} are read`;
  }
  return null;
}

/** The sizes of the central directory are claims: what comes out is measured, and never more than claimed is let out. */
async function extract(
  zip: ZipFile,
  entry: Entry,
  zipBytes: Buffer,
): Promise<Uint8Array | Problem> {
  const { fileName, uncompressedSize, compressedSize } = entry;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = zipBytes.subarray(fileDataStart, fileDataStart + compressedSize);
  const data =
    entry.compressionMethod === STORED
      ? packed
      : unpackWithin(packed, uncompressedSize, inflateRawSync);
  if (data === null || data.length !== uncompressedSize || crc32(data) !== entry.crc32) {
    return problem(
      `the artifact's entry ${shown(fileName)} is not what the zip says: its size or checksum differs`,
    );
  }
  return data;
}

function gunzip(gzip: Uint8Array, maxBytes: number): Uint8Array | Problem {
  return (
    unpackWithin(gzip, maxBytes, gunzipSync) ??
    problem(
      `${ARTIFACT_FILES.samples} is not a gzip file, or unpacks to more than ${maxBytes} bytes`,
    )
  );
}

function unpackWithin(
  packed: Uint8Array,
  maxBytes: number,
  unpackSync: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer,
): Uint8Array | null {
  try {
    // zlib refuses a limit of nothing.
    return unpackSync(packed, { maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    return null;
  }
}

function textOf(bytes: Uint8Array, name: string): string | Problem {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return problem(`${name} is not UTF-8 text`);
  }
}

function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
