// The published Rust-against-Go claims beside what was measured here: docs/claims.md, from the samples in docs/claims/.
//
//   node scripts/claims.mjs             writes docs/claims.md from docs/claims/*.samples.json.gz
//   node scripts/claims.mjs measure [name…]
//                                       measures them first, or those (about half an hour; nothing else may run meanwhile)
//
// docs/claims/published.json has the claims; `ours` names the scenario and the row of a comparison that answers one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { ComparisonSamplesSchema } from "../src/model/comparison.ts";
import { formatRatio, formatRatioInterval } from "../src/report/comparison-text.ts";
import { compareServices } from "../src/verdict/compare-services.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "docs/claims");
const SUFFIX = ".samples.json.gz";

/** Name of the file, the two series, the scenario, rounds. */
const MEASURED = [
  ...["echo", "echo-512", "echo-256", "user", "summary", "fanout", "process", "hello"].map(
    (scenario) => [scenario, "axum-api", "gin-api", scenario, 8],
  ),
  ["connections", "axum-connections", "gin-connections", "connections", 6],
  ["documents-10m", "axum-large", "gin-large", "documents-10m", 6],
  ["zero-copy", "axum-zero-copy", "axum-api", "echo", 8],
  ["gogc", "gin-gogc-80", "gin-api", "documents", 8],
];

/** A machine has bad minutes: what is invalid is measured again, so often. */
const ATTEMPTS = 3;

function measure(names) {
  const unknown = names.filter((name) => !MEASURED.some(([known]) => known === name));
  if (unknown.length > 0) throw new Error(`no such comparison: ${unknown.join(", ")}`);
  const missing = [];
  for (const [name, ...what] of MEASURED) {
    if (names.length > 0 && !names.includes(name)) continue;
    let done = false;
    for (let i = 0; i < ATTEMPTS && !done; i++) done = compare(name, ...what);
    if (!done) missing.push(name);
  }
  if (missing.length === 0) return;
  console.error(`invalid ${ATTEMPTS} times, and left as it was: ${missing.join(", ")}`);
  process.exitCode = 1;
}

/** Whether the comparison was valid; only then its samples are kept. */
function compare(name, a, b, scenario, rounds) {
  const out = mkdtempSync(join(tmpdir(), "tailgate-claims-"));
  try {
    const { status } = spawnSync(
      process.execPath,
      [
        ...[join(root, "dist/cli.cjs"), "compare", a, b, "--config", "tailgate.full.yml"],
        ...["--scenario", scenario, "--rounds", String(rounds), "--out", out],
      ],
      { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
    );
    if (status !== 0) return false;
    const samples = readFileSync(join(out, "comparison.samples.v1.json"));
    writeFileSync(join(folder, `${name}${SUFFIX}`), gzipSync(samples, { level: 9 }));
    return true;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function readComparisons() {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort();
  return new Map(
    files.map((file) => {
      const text = gunzipSync(readFileSync(join(folder, file))).toString("utf8");
      const samples = ComparisonSamplesSchema.parse(JSON.parse(text));
      return [file.slice(0, -SUFFIX.length), compareServices(samples)];
    }),
  );
}

/** One word, from the log ratio published and the interval of ours. */
function wordFor(published, { low, high }) {
  const [least, most] = [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY];
  if (least <= 0 && most >= 0) return "not shown";
  const sign = Math.sign(published);
  if (Math.sign(least) !== sign) return "reversed";
  const strongest = sign > 0 ? most : -least;
  return strongest >= Math.abs(published) ? "holds" : "weaker";
}

function answer(claim, comparisons) {
  if (claim.impossible !== undefined) {
    return { ours: "", word: "impossible as published", why: claim.impossible };
  }
  if (claim.why !== undefined) {
    return { ours: "", word: "not measurable on this machine", why: claim.why };
  }
  if (claim.binary === true) return binaries(claim, comparisons);
  const [scenario, id] = claim.ours;
  const comparison = comparisons.get(claim.file ?? scenario);
  const rows = [
    ...(comparison?.scenarios.find(({ name }) => name === scenario)?.rows ?? []),
    ...(comparison?.rows ?? []),
  ];
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined || row.estimate === null || row.interval === null) {
    return { ours: "", word: "not measurable on this machine", why: `no ratio of ${id} was had` };
  }
  const turned = claim.inverse === true;
  const estimate = turned ? -row.estimate : row.estimate;
  const { low, high } = row.interval;
  const interval = turned
    ? { low: high === null ? null : -high, high: low === null ? null : -low }
    : { low, high };
  const ours = `${formatRatio(estimate)} ${formatRatioInterval({ interval })}`;
  return {
    ours,
    word: `${wordFor(Math.log(claim.ratio), interval)}${claim.standIn === true ? ", by a stand-in" : ""}`,
    why: `${turned ? "inverse of " : ""}${row.label} of ${scenario}, ${row.rounds} rounds`,
  };
}

/** A size has no noise: one build of each. */
function binaries(claim, comparisons) {
  const artifacts = comparisons.get("echo")?.artifacts ?? [];
  const size = (service) => artifacts.find((one) => one.service === service)?.binaryBytes;
  const [rust, go] = [size("axum-api"), size("gin-api")];
  if (rust === undefined || go === undefined) {
    return { ours: "", word: "not measurable on this machine", why: "no build is in the samples" };
  }
  const log = Math.log(rust / go);
  return {
    ours: formatRatio(log),
    word: wordFor(Math.log(claim.ratio), { low: log, high: log }),
    why: `${(rust / 2 ** 20).toFixed(1)} and ${(go / 2 ** 20).toFixed(1)} MiB`,
  };
}

/** What publication A's rate would take, by the CPU time that a request was seen to take here. */
function coresFor100k(comparisons) {
  const row = comparisons.get("echo")?.rows.find(({ id }) => id === "cpuPer1k");
  if (row === undefined || row.candidate === null || row.reference === null) return "";
  const cores = (msPer1k) => Math.ceil((100 * msPer1k) / 1000);
  return `Publication A's 100,000 requests/s would take ${cores(row.candidate)} cores for the Rust service, ${cores(row.reference)} for the Go service and others for the generator.`;
}

function render(claims, comparisons) {
  const [first] = comparisons.values();
  const { cpuModel, cpus, memoryGiB, kernel, generator } = first.host.fingerprint;
  const dates = [...comparisons.values()].map(({ run }) => run.startedAt.slice(0, 10)).sort();
  const rows = claims.map((claim) => {
    const { ours, word, why } = answer(claim, comparisons);
    const published = claim.ratio === null ? "" : formatRatio(Math.log(claim.ratio));
    return `| ${claim.from} | ${claim.claim} | ${claim.rust} | ${claim.go} | ${published} | ${ours} | ${word} | ${why} |`;
  });
  return `# The published claims, measured again

Five publications compared services in Rust and Go, from single runs and without error bars. Each of their claims stands here beside
the same question asked of [the two reference services](../services/README.md): the ratio Rust / Go of the value (or of the variant to
the service as it is), with its exact 95 % interval over rounds in which both were measured side by side. The services, the rates and
the machine are other ones than theirs; what can be compared is the ratio. ${coresFor100k(comparisons)}

Machine: ${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}; ${generator}; one CPU for the service and what it depends on, one for the generator.
Measured ${dates[0] === dates.at(-1) ? dates[0] : `${dates[0]} to ${dates.at(-1)}`}. Made by \`node scripts/claims.mjs\` from the samples in [claims/](claims/); nothing is corrected for the number
of rows.

- *holds*: shown to differ from 1 on the published side, and the interval reaches the published ratio or beyond it.
- *weaker*: shown on the published side, but less of it.
- *reversed*: shown on the other side.
- *not shown*: the interval contains 1.
- *by a stand-in*: what was claimed is not measured at a given rate; the last column names the quantity it rests on, and the word is of that.

| | claim | Rust | Go | published | ours | | |
|---|---|---|---|---|---|---|---|
${rows.join("\n")}
`;
}

if (process.argv[2] === "measure") measure(process.argv.slice(3));
const claims = JSON.parse(readFileSync(join(folder, "published.json"), "utf8"));
const comparisons = readComparisons();
if (comparisons.size === 0) {
  console.error(`there is no *${SUFFIX} in docs/claims: node scripts/claims.mjs measure`);
  process.exitCode = 1;
} else {
  writeFileSync(join(root, "docs/claims.md"), render(claims, comparisons));
}
