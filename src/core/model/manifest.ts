// What a measuring job hands to the publishing job, and limits on reading it. All of it is
// untrusted.
import * as z from "zod";

/** The names in the artifact; no other entry is accepted. */
export const ARTIFACT_FILES = {
  samples: "samples.v1.json",
  manifest: "tailgate-manifest.json",
} as const;

export const ManifestSchema = z.strictObject({
  schema: z.literal("tailgate.manifest.v1"),
  tool: z.string().max(100),
  run: z.strictObject({
    /** Of the workflow run that measured, by its own account. */
    id: z.int().min(0),
    attempt: z.int().min(0),
  }),
});
export type Manifest = z.infer<typeof ManifestSchema>;

const MIB = 1024 * 1024;

/** Bounds on reading; 60 rounds of 10 scenarios are some 20 MB of JSON, 2 MB zipped. */
export const ARTIFACT_LIMITS = {
  zipBytes: 16 * MIB,
  manifestBytes: 4096,
  samplesBytes: 44 * MIB,
  json: {
    /** Arrays and objects inside one another. */
    depth: 20,
    /** Numbers, strings, objects, arrays: what takes memory once parsed. */
    values: 3_000_000,
    /** Elements of one array, keys of one object. */
    members: 5000,
    /** UTF-16 units of one string; the body of a request is the longest honest one. */
    stringLength: MIB,
  },
};
export type ArtifactLimits = typeof ARTIFACT_LIMITS;
export type JsonLimits = ArtifactLimits["json"];
