// The zip that a measuring job uploaded, as hostile data: exactly the two files, within limits, or
// words on what is wrong. Nothing is written anywhere and no name in the zip is ever used as a
// path.
import { crc32, inflateRawSync } from "node:zlib";
import { type Entry, fromBufferPromise, type ZipFile } from "yauzl";
import { tryText } from "../../app/config/small-file.ts";
import { messageOf } from "../../core/base/errors.ts";
import { showValue } from "../../core/base/show-value.ts";
import {
  ARTIFACT_FILES,
  ARTIFACT_LIMITS,
  type ArtifactLimits,
  type Manifest,
} from "../../core/model/manifest.ts";
import type { Samples } from "../../core/model/samples.ts";
import {
  parseUntrustedManifest,
  parseUntrustedSamples,
} from "../../core/untrusted/parse-samples.ts";
import { type Problem, problem } from "../../core/untrusted/problem.ts";
import { orNull } from "../../machine/sys/or-null.ts";

export interface ArtifactContents {
  kind: "artifact";
  samples: Samples;
  manifest: Manifest;
}

/**
 * Time and memory are bounded by `limits`. Whatever the bytes are, the answer is the contents or a
 * problem.
 */
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

function parse(files: Map<string, Uint8Array>, limits: ArtifactLimits): ArtifactContents | Problem {
  const { samples: samplesName, manifest: manifestName } = ARTIFACT_FILES;
  const manifestText = textOf(files, manifestName);
  if (typeof manifestText !== "string") return manifestText;
  const manifest = parseUntrustedManifest(manifestText, manifestName, limits.json);
  if (manifest.kind === "problem") return manifest;

  const samplesText = textOf(files, samplesName);
  if (typeof samplesText !== "string") return samplesText;
  const samples = parseUntrustedSamples(samplesText, samplesName, limits.json);
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
      return problem(`the artifact's entry ${showValue(entry.fileName)} ${trouble}`);
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
    [ARTIFACT_FILES.samples]: limits.samplesBytes,
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

/**
 * The sizes of the central directory are claims: what comes out is measured, and never more than
 * claimed is let out.
 */
async function extract(
  zip: ZipFile,
  entry: Entry,
  zipBytes: Buffer,
): Promise<Uint8Array | Problem> {
  const { fileName, uncompressedSize, compressedSize } = entry;
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = zipBytes.subarray(fileDataStart, fileDataStart + compressedSize);
  const data =
    entry.compressionMethod === STORED ? packed : inflateWithin(packed, uncompressedSize);
  if (data === null || data.length !== uncompressedSize || crc32(data) !== entry.crc32) {
    return problem(
      `the artifact's entry ${showValue(fileName)} is not what the zip says: its size or checksum differs`,
    );
  }
  return data;
}

/** zlib refuses a limit of nothing. */
const inflateWithin = (packed: Uint8Array, maxBytes: number): Uint8Array | null =>
  orNull(() => inflateRawSync(packed, { maxOutputLength: Math.max(1, maxBytes) }));

/** Takes the file away: its bytes and its text at once would take twice the room. */
function textOf(files: Map<string, Uint8Array>, name: string): string | Problem {
  const bytes = files.get(name);
  files.delete(name);
  if (bytes === undefined) return problem(`the artifact has no ${name}`);
  return tryText(bytes) ?? problem(`${name} is not UTF-8 text`);
}
