// The page of claims from the published claims and the comparisons measured here. Pure.
import { z } from "zod";
import { formatRatio, formatRatioInterval } from "../../satellites/sheets/comparison/text.ts";
import type { compareServices } from "../../src/core/comparison/compare.ts";

/**
 * Of published.json: what another publication says, and the scenario and the row of a comparison
 * that answer it.
 */
const ClaimSchema = z.strictObject({
  from: z.string(),
  claim: z.string(),
  rust: z.string(),
  go: z.string(),
  ratio: z.number().nullable(),
  ours: z.tuple([z.string(), z.string()]).optional(),
  /** The comparison that has the scenario, where it is not called as the scenario is. */
  file: z.string().optional(),
  /** Ours is the inverse of the row. */
  inverse: z.literal(true).optional(),
  standIn: z.literal(true).optional(),
  /** Of the sizes of the programs. */
  binary: z.literal(true).optional(),
  /** Why it is not measured. */
  why: z.string().optional(),
  impossible: z.string().optional(),
});
export const ClaimsSchema = z.array(ClaimSchema);
type Claim = z.infer<typeof ClaimSchema>;

type Comparisons = ReadonlyMap<string, ReturnType<typeof compareServices>>;

interface Interval {
  low: number | null;
  high: number | null;
}

interface Answer {
  ours: string;
  word: string;
  why: string;
}

/** One word, from the log ratio published and the interval of ours. */
function wordFor(published: number, { low, high }: Interval): string {
  const [least, most] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY];
  if (least <= 0 && most >= 0) return "not shown";
  const sign = Math.sign(published);
  if (Math.sign(least) !== sign) return "reversed";
  const strongest = sign > 0 ? most : -least;
  return strongest >= Math.abs(published) ? "holds" : "weaker";
}

function answer(claim: Claim, comparisons: Comparisons): Answer {
  if (claim.impossible !== undefined) {
    return { ours: "", word: "impossible as published", why: claim.impossible };
  }
  if (claim.why !== undefined) {
    return { ours: "", word: "not measurable here", why: claim.why };
  }
  if (claim.binary === true) return binaries(claim, comparisons);
  const [scenario, id] = claim.ours ?? ["", ""];
  const comparison = comparisons.get(claim.file ?? scenario);
  const rows = [
    ...(comparison?.scenarios.find(({ name }) => name === scenario)?.rows ?? []),
    ...(comparison?.rows ?? []),
  ];
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined || row.estimate === null || row.interval === null) {
    return { ours: "", word: "not measurable here", why: `no ratio of ${id}` };
  }
  const turned = claim.inverse === true;
  const estimate = turned ? -row.estimate : row.estimate;
  const { low, high } = row.interval;
  const interval = turned
    ? { ...row.interval, low: high === null ? null : -high, high: low === null ? null : -low }
    : row.interval;
  const ours = `${formatRatio(estimate)} ${formatRatioInterval({ interval })}`;
  return {
    ours,
    word: `${wordFor(Math.log(claim.ratio ?? Number.NaN), interval)}${claim.standIn === true ? ", by a stand-in" : ""}`,
    why: `${turned ? "inverse of " : ""}${row.label} of ${scenario}, ${row.rounds} rounds`,
  };
}

/**
 * A size has no noise: one build of each, as the tools build by default, which is with debug
 * information in Go and without in Rust.
 */
function binaries({ ratio }: Claim, comparisons: Comparisons): Answer {
  const artifacts = comparisons.get("echo")?.artifacts ?? [];
  const size = (name: string) => artifacts.find(({ service }) => service === name)?.binaryBytes;
  const [rust, go] = [size("axum-api"), size("gin-api")];
  if (rust == null || go == null) {
    return { ours: "", word: "not measurable here", why: "no build is in the samples" };
  }
  const log = Math.log(rust / go);
  return {
    ours: formatRatio(log),
    word: wordFor(Math.log(ratio ?? Number.NaN), { low: log, high: log }),
    why: `${(rust / 2 ** 20).toFixed(1)} and ${(go / 2 ** 20).toFixed(1)} MiB, Go's with debug information`,
  };
}

/** What publication A's rate would take, by the CPU time that a request was seen to take here. */
function coresFor100k(comparisons: Comparisons): string {
  const row = comparisons.get("echo")?.rows.find(({ id }) => id === "cpuPer1k");
  if (row === undefined || row.candidate === null || row.reference === null) return "";
  const cores = (msPer1k: number) => Math.ceil((100 * msPer1k) / 1000);
  return `Publication A's 100,000 requests/s would take ${cores(row.candidate)} cores for the Rust service, ${cores(row.reference)} for the Go service and others for the generator.`;
}

export function renderClaims(claims: readonly Claim[], comparisons: Comparisons): string {
  const [first] = comparisons.values();
  if (first === undefined) throw new Error("there are no comparisons: measure first");
  const { cpuModel, cpus, memoryGiB, kernel, generator } = first.host.fingerprint;
  const dates = [...comparisons.values()].map(({ run }) => run.startedAt.slice(0, 10)).sort();
  const rows = claims.map((claim) => {
    const { ours, word, why } = answer(claim, comparisons);
    const published = claim.ratio === null ? "" : formatRatio(Math.log(claim.ratio));
    return `| ${claim.from} | ${claim.claim} | ${claim.rust} | ${claim.go} | ${published} | ${ours} | ${word} | ${why} |`;
  });
  return `# The published claims, measured again

Five publications compared services in Rust and Go, from single runs and without error bars. This page measures each claim on
[the two reference services](../../services/README.md): the ratio Rust / Go (or of a variant to the unchanged service), with its exact 95 %
interval over rounds in which both were measured in alternation. Services, rates and machine differ from theirs, so only ratios can be
compared. ${coresFor100k(comparisons)}

Machine: ${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}; ${generator}; one CPU for the service and its dependencies, one for the
generator. Measured ${dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`}. Made by \`node lab/claims/claims.ts\` from [the samples](samples.jsonl.zst). The
intervals are not corrected for the number of rows.

- *holds*, *weaker*: the interval lies on the published side of 1, and reaches the published ratio or does not.
- *reversed*: it lies on the other side of 1. *not shown*: it contains 1.
- *by a stand-in*: of the quantity in the last column, because the claimed one cannot be measured at a fixed rate.

| | claim | Rust | Go | published | ours | | |
|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}
