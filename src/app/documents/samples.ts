// Samples, written whole after every round so that a killed run keeps what it measured, and
// reports. They may come from another machine, or from somebody who is no friend.
import { UserError } from "../../core/base/errors.ts";
import { type CapacitySamples, CapacitySamplesSchema } from "../../core/capacity/model.ts";
import { namesOf } from "../../core/comparison/pair.ts";
import type { JsonLimits } from "../../core/model/manifest.ts";
import { type Report, ReportSchema } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { parseUntrustedSamples } from "../../core/untrusted/parse-samples.ts";
import { writeFileAtomic } from "../../machine/sys/files.ts";
import { type DocumentWords, readDocument, readText } from "./document.ts";

/**
 * Four times what is taken from an artifact: what was measured here may be larger than what is
 * published.
 */
const LIMITS: JsonLimits = { depth: 20, values: 16e6, members: 20_000, stringLength: 1024 * 1024 };

const NEXT =
  "Name a samples file of this version, such as .tailgate/samples.v1.json, or measure again.";
const SAMPLES: DocumentWords = { what: "samples file", next: NEXT };

/** Of a gate. Held to all that an artifact is held to, wherever the file comes from. */
export function readSamples(path: string, kind = SAMPLES): Samples {
  const samples = readAnySamples(path, kind);
  const services = namesOf(samples);
  if (services === null) return samples;
  const { candidate, reference } = services;
  throw new UserError(`${path} compares ${candidate} with ${reference}: it is of no gate`, {
    next: `Show it: tailgate compare --from ${path}. Or name the samples of a gate.`,
  });
}

/** Of a gate, or of a comparison of two services. */
export function readAnySamples(path: string, kind = SAMPLES): Samples {
  const parsed = parseUntrustedSamples(readText(path, kind), path, LIMITS);
  if (parsed.kind === "samples") return parsed.samples;
  throw new UserError(parsed.text, { detail: parsed.detail, next: kind.next }, kind.failure);
}

export function writeSamples(path: string, samples: Samples | CapacitySamples): void {
  writeFileAtomic(path, `${JSON.stringify(samples)}\n`);
}

export function readCapacitySamples(path: string): CapacitySamples {
  const next = "Measure again: tailgate capacity <service>.";
  return readDocument(path, { schema: CapacitySamplesSchema, what: "capacity samples file", next });
}

export function readReport(path: string): Report {
  const next = "Make it again from its samples: tailgate judge <samples.v1.json> --out <folder>.";
  return readDocument(path, { schema: ReportSchema, what: "report", next });
}
