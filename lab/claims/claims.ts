// The published Rust-against-Go claims beside what was measured here: lab/claims/README.md, from
// published.json and samples.jsonl.zst.
//
//   node lab/claims/claims.ts                    writes the page (a second)
//   node lab/claims/claims.ts measure [name…]    measures all comparisons first, or those (ten minutes; nothing else may run meanwhile)
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { compareServices } from "../../src/core/comparison/compare.ts";
import { asPair } from "../../src/core/comparison/pair.ts";
import { type Samples, SamplesSchema } from "../../src/core/model/samples.ts";
import { readLines, writeLines } from "../lines.ts";
import { ClaimsSchema, renderClaims } from "./page.ts";

const root = resolve(import.meta.dirname, "../..");
const STORED = join(import.meta.dirname, "samples.jsonl.zst");

interface Stored {
  name: string;
  /** samples.v1 of a comparison, or as it was recorded before that. */
  samples: unknown;
}

interface Wanted {
  name: string;
  /** The two series. */
  services: readonly [string, string];
  scenario: string;
  rounds: number;
}

const WANTED: readonly Wanted[] = [
  ...["echo", "echo-512", "echo-256", "user", "summary", "fanout", "process", "hello"].map(
    (name): Wanted => ({ name, services: ["axum-api", "gin-api"], scenario: name, rounds: 8 }),
  ),
  {
    name: "connections",
    services: ["axum-connections", "gin-connections"],
    scenario: "connections",
    rounds: 6,
  },
  {
    name: "documents-10m",
    services: ["axum-large", "gin-large"],
    scenario: "documents-10m",
    rounds: 6,
  },
  { name: "zero-copy", services: ["axum-zero-copy", "axum-api"], scenario: "echo", rounds: 8 },
  { name: "gogc", services: ["gin-gogc-80", "gin-api"], scenario: "documents", rounds: 8 },
];

/** A machine has bad minutes: what is invalid is measured again, so often. */
const ATTEMPTS = 3;

function measure(names: readonly string[]): void {
  const unknown = names.filter((name) => !WANTED.some((wanted) => wanted.name === name));
  if (unknown.length > 0) throw new Error(`no such comparison: ${unknown.join(", ")}`);
  for (const wanted of WANTED) {
    if (names.length > 0 && !names.includes(wanted.name)) continue;
    let done = false;
    for (let i = 0; i < ATTEMPTS && !done; i++) done = compare(wanted);
    if (done) continue;
    console.error(`invalid ${ATTEMPTS} times, and left as it was: ${wanted.name}`);
    process.exitCode = 1;
  }
}

/** Whether the comparison was valid; only then its samples are kept. */
function compare({ name, services, scenario, rounds }: Wanted): boolean {
  const out = mkdtempSync(join(tmpdir(), "tailgate-claims-"));
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        ...[
          join(root, "dist/cli.cjs"),
          "compare",
          ...services,
          "--config",
          "services/tailgate.full.yml",
        ],
        ...["--scenario", scenario, "--rounds", String(rounds), "--out", out],
      ],
      { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
    );
    if (status !== 0) return false;
    const samples = JSON.parse(readFileSync(join(out, "comparison.samples.v1.json"), "utf8"));
    const others = (readLines(STORED) as Stored[]).filter((one) => one.name !== name);
    const all: Stored[] = [...others, { name, samples }];
    writeLines(
      STORED,
      all.sort((a, b) => (a.name < b.name ? -1 : 1)),
    );
    return true;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Until November 2026 the samples of two services had a schema of their own. */
const EarlierSchema = SamplesSchema.extend({
  schema: z.literal("tailgate.comparison-samples.v1"),
  run: SamplesSchema.shape.run.extend({ compare: z.literal("services") }),
  services: z.unknown(),
  pair: z.string(),
});

function parseSamples(raw: unknown): Samples {
  const parsed = z.discriminatedUnion("schema", [SamplesSchema, EarlierSchema]).parse(raw);
  if (parsed.schema === "tailgate.samples.v1") return parsed;
  const { services: _, pair, ...rest } = parsed;
  return {
    ...rest,
    schema: "tailgate.samples.v1",
    run: { ...rest.run, compare: "base" },
    config: asPair(rest.config, pair),
  };
}

export function renderStored(): string {
  const claims = readFileSync(join(import.meta.dirname, "published.json"), "utf8");
  const comparisons = (readLines(STORED) as Stored[]).map(
    ({ name, samples }) => [name, compareServices(parseSamples(samples))] as const,
  );
  return renderClaims(ClaimsSchema.parse(JSON.parse(claims)), new Map(comparisons));
}

if (import.meta.main) {
  const [command, ...names] = process.argv.slice(2);
  if (command === "measure") measure(names);
  writeFileSync(join(import.meta.dirname, "README.md"), renderStored());
}
