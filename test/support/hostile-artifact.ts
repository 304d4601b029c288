// Artifacts as somebody who is no friend would upload them, one for each seed: broken zips, bombs,
// wrong JSON, samples that lie, and samples that are all in order except that every free text in
// them is an attack.
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import { ARTIFACT_FILES } from "../../src/core/model/manifest.ts";
import type { Samples } from "../../src/core/model/samples.ts";
import { MANIFEST, makeArtifact, manifestEntry, samplesEntry } from "./artifact.ts";
import { pick } from "./damage.ts";
import { HOSTILE_TEXTS } from "./hostile-text.ts";
import type { Json } from "./places.ts";
import { EXPLANATION } from "./report-cases.ts";
import { makeSamples } from "./samples.ts";
import { makeZip, type ZipEntry } from "./zip.ts";

interface HostileArtifact {
  /** Which attack, for the message of a failing test. */
  what: string;
  bytes: Uint8Array;
}

/** Runs that regressed everywhere: whatever is done to their text, none may become a pass. */
export const REGRESSED: Samples = {
  ...makeSamples({
    rounds: 16,
    noise: 0.02,
    p99Ratio: { "api/echo": 2, "api/hello": 2 },
    rssRatio: { api: 1.5 },
    whole: true,
  }),
  explanation: EXPLANATION,
};
const SHORT: Samples = { ...REGRESSED, rounds: REGRESSED.rounds.slice(0, 3) };

const MIB = 1024 * 1024;
const BOMB: ZipEntry = { name: ARTIFACT_FILES.samples, data: new Uint8Array(65 * MIB) };
const OPEN_BOMB = makeZip([BOMB, manifestEntry()]);
const LYING_BOMB = makeZip([{ ...BOMB, claims: { size: 1000 } }, manifestEntry()]);

/** The same artifact for the same seed. */
export function hostileArtifact(seed: number): HostileArtifact {
  const prng = createPrng(seed);
  const [what, make] = pick(prng, ATTACKS);
  return { what: `${what} (seed ${seed})`, bytes: make(prng) };
}

const ATTACKS: readonly (readonly [string, (prng: Prng) => Uint8Array])[] = [
  ["random bytes", (prng) => randomBytes(prng, prng.below(4000))],
  ["a good zip with bytes changed", scribbled],
  ["a good zip, cut", (prng) => cut(prng, makeArtifact(SHORT))],
  [
    "a good zip with bytes after it",
    (prng) => Buffer.concat([makeArtifact(SHORT), randomBytes(prng, 40)]),
  ],
  ["odd entries", oddEntries],
  ["odd entries", oddEntries],
  ["lies about sizes", lyingEntries],
  ["wrong JSON", wrongJson],
  ["wrong JSON", wrongJson],
  ["one value changed", oneValueChanged],
  ["one value changed", oneValueChanged],
  ["one value changed", oneValueChanged],
  ["extreme numbers", extremeNumbers],
  ["another's identity", anotherIdentity],
  ["attacks in every text", (prng) => withAttacks(prng, SHORT)],
  ["attacks in every text", (prng) => withAttacks(prng, SHORT)],
  ["attacks in every text of a whole run", (prng) => withAttacks(prng, REGRESSED)],
  ["a laxer configuration", laxer],
  ["a lie", lying],
  [
    "a bomb, now and then",
    (prng) => (prng.below(10) > 0 ? oddEntries(prng) : pick(prng, [OPEN_BOMB, LYING_BOMB])),
  ],
];

function scribbled(prng: Prng): Uint8Array {
  const bytes = Buffer.from(makeArtifact(SHORT));
  for (let i = 1 + prng.below(8); i > 0; i--) {
    // Headers are at the ends, where a change does most.
    const from = prng.below(2) === 0 ? 0 : Math.max(0, bytes.length - 260);
    bytes[Math.min(bytes.length - 1, from + prng.below(260))] = prng.below(256);
  }
  return bytes;
}

function cut(prng: Prng, bytes: Uint8Array): Uint8Array {
  const start = prng.below(3) === 0 ? prng.below(bytes.length) : 0;
  return bytes.subarray(start, start + prng.below(bytes.length));
}

const ODD_NAMES = [
  "../x",
  "..\\x",
  "/etc/passwd",
  "a/../../b",
  "C:\\x",
  "samples.v1.json/",
  "./samples.v1.json",
  "samples.v1.json\u0000.txt",
  "\u202enosj.1v",
  "__proto__",
  "report.v1.json",
  "x".repeat(60_000),
  ...HOSTILE_TEXTS,
];

function oddEntries(prng: Prng): Uint8Array {
  const entries: ZipEntry[] = [samplesEntry(JSON.stringify(SHORT)), manifestEntry()];
  for (let i = 1 + prng.below(2); i > 0; i--) {
    const at = prng.below(entries.length);
    const entry = entries[at];
    if (entry === undefined) break;
    const change = prng.below(8);
    if (change === 0) entries.push({ ...entry, name: pick(prng, ODD_NAMES) });
    else if (change === 1) entries.splice(at, 1);
    else if (change === 2) entries.push(entry);
    else entries[at] = { ...entry, ...oddity(prng, change) };
  }
  const count = prng.below(5) === 0 ? { entryCount: prng.below(70_000) % 65_536 } : {};
  const comment = prng.below(5) === 0 ? { comment: randomBytes(prng, prng.below(100)) } : {};
  return makeZip(entries, { ...count, ...comment });
}

function oddity(prng: Prng, change: number): Partial<ZipEntry> {
  switch (change) {
    case 3:
      return { name: pick(prng, ODD_NAMES) };
    case 4:
      return { mode: pick(prng, [0o120777, 0o040755, 0o010644, 0o020644, 0o777, 0]) };
    case 5:
      return { flags: pick(prng, [1, 8, 0x40, 0x2000, 0xffff]) };
    case 6:
      return { method: pick(prng, [0, 8, 1, 9, 12, 14, 93, 99, 65_535]) };
    default:
      return { data: randomBytes(prng, prng.below(5000)) };
  }
}

function lyingEntries(prng: Prng): Uint8Array {
  const lie = (): number => pick(prng, [0, 1, 20, 1000, 65_536, 17 * MIB, 0x7fffffff, 0xffffffff]);
  const some = <T>(value: T): T | undefined => (prng.below(2) === 0 ? value : undefined);
  const claims = Object.fromEntries(
    Object.entries({ size: some(lie()), packedSize: some(lie()), crc: some(lie()) }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const honest = [samplesEntry(JSON.stringify(SHORT)), manifestEntry()];
  const victim = prng.below(2);
  return makeZip(
    honest.map((entry, index) =>
      index === victim
        ? { ...entry, stored: prng.below(2) === 0, claims, flags: pick(prng, [0, 8]) }
        : entry,
    ),
  );
}

const SHORT_JSON = JSON.stringify(SHORT);

function wrongJson(prng: Prng): Uint8Array {
  const at = prng.below(SHORT_JSON.length);
  const junk = pick(prng, [
    "",
    "NaN",
    "Infinity",
    "1e999",
    "-0",
    "0x10",
    ",",
    "{",
    "}",
    "[".repeat(1 + prng.below(50_000)),
    '"__proto__":{"polluted":true},',
    '"constructor":1,',
    '"\\ud800"',
    "\u0000",
    "\u202e",
    `"${"y".repeat(100_000)}"`,
    '{"a":1,"a":2}',
    "0,".repeat(6000),
    "// comment",
  ]);
  const length = prng.below(3) === 0 ? 0 : prng.below(200);
  const text = SHORT_JSON.slice(0, at) + junk + SHORT_JSON.slice(at + length);
  const bytes =
    prng.below(10) === 0 ? Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text)]) : text;
  return makeZip([samplesEntry(bytes), oddManifest(prng)]);
}

function oddManifest(prng: Prng): ZipEntry {
  if (prng.below(4) > 0) return manifestEntry();
  return manifestEntry(
    pick<unknown>(prng, [
      null,
      [],
      "x",
      { ...MANIFEST, pullRequest: 666 },
      { ...MANIFEST, tool: pick(prng, HOSTILE_TEXTS) },
      { ...MANIFEST, run: { id: -1, attempt: 1 } },
      { ...MANIFEST, run: { id: 999, attempt: 999 } },
      { ...MANIFEST, schema: "tailgate.manifest.v2" },
    ]),
  );
}

const JUNK: readonly (Json | undefined)[] = [
  undefined,
  null,
  true,
  -1,
  0,
  0.5,
  1e308,
  5e-324,
  Number.MAX_SAFE_INTEGER,
  [],
  {},
  [[[[]]]],
  { verdict: "pass" },
  ...HOSTILE_TEXTS,
];

/** One random place, at whatever depth, with something else in it, or with one key more. */
function oneValueChanged(prng: Prng): Uint8Array {
  const copy = JSON.parse(SHORT_JSON) as Json;
  let parent: Json = copy;
  for (;;) {
    const keys = typeof parent === "object" && parent !== null ? Object.keys(parent) : [];
    if (keys.length === 0) break;
    const holder = parent as Record<string, Json>;
    const key = prng.below(40) === 0 ? "extra" : pick(prng, keys);
    const child: Json | undefined = holder[key];
    const goesOn = typeof child === "object" && child !== null && prng.below(5) > 0;
    if (goesOn && child !== undefined) {
      parent = child;
      continue;
    }
    const junk = pick(prng, JUNK);
    if (junk === undefined) delete holder[key];
    else holder[key] = junk;
    break;
  }
  return makeZip([samplesEntry(JSON.stringify(copy)), oddManifest(prng)]);
}

/** Any number may have become an extreme one: many have, some, or hardly any. */
function extremeNumbers(prng: Prng): Uint8Array {
  const extremes = [0, 1e-6, 1e15, 1, 1e9, 2 ** 31, -1, 1e-7, 1e16, 3.3e-320];
  const share = pick(prng, [50, 1000, 20_000]);
  const most = pick(prng, [6, extremes.length]);
  const text = JSON.stringify(SHORT, (_, value: unknown) =>
    typeof value === "number" && prng.below(share) === 0 ? extremes[prng.below(most)] : value,
  );
  return makeZip([samplesEntry(text), manifestEntry()]);
}

function anotherIdentity(prng: Prng): Uint8Array {
  const copy = structuredClone(SHORT);
  const commit = pick(prng, ["a".repeat(40), "", "c".repeat(39), "C".repeat(40), ...HOSTILE_TEXTS]);
  const { candidate, reference } = copy.sources;
  if (prng.below(2) === 0) candidate.commit = commit;
  else if (reference !== null) reference.commit = commit;
  if (prng.below(4) === 0) copy.run.compare = pick(prng, ["base", "replay", "stored"]);
  if (prng.below(8) === 0) copy.sources.reference = null;
  return makeZip([samplesEntry(JSON.stringify(copy)), oddManifest(prng)]);
}

/** Texts of a given form, that choose a branch of the program or that commits are compared with. */
const KEPT_KEYS = new Set([
  ...[
    "schema",
    "kind",
    "state",
    "compare",
    "commit",
    "metric",
    "estimator",
    "level",
    "arm",
    "rule",
  ],
  ...["scheme", "generator", "signal", "startedAt", "service", "scenario", "name", "id", "class"],
  ...["method", "path", "body", "ended", "expires", "sha256", "json", "command"],
]);

/** As long as the name of a program may be. */
const NAMES = HOSTILE_TEXTS.filter(({ length }) => length > 0 && length <= 64);

/**
 * Every free text is an attack, and what may be missing is there: findings, builds, failures,
 * warnings' causes.
 */
function withAttacks(prng: Prng, samples: Samples): Uint8Array {
  const attack = (): string => pick(prng, HOSTILE_TEXTS);
  const copy = structuredClone(samples);
  copy.host.findings = Array.from({ length: prng.below(5) }, () => ({
    id: attack(),
    level: pick(prng, ["good", "note", "bad"] as const),
    text: attack(),
    fix: attack(),
  }));
  copy.artifacts = Array.from({ length: prng.below(4) }, () => ({
    arm: pick(prng, ["candidate", "reference"] as const),
    service: attack(),
    key: attack(),
    sha256: attack(),
    binaryBytes: 1,
    strippedBytes: null,
    buildMs: 1,
    cached: false,
    toolchain: attack(),
  }));
  for (const culprit of copy.rounds.flatMap(({ culprits = [] }) => culprits)) {
    culprit.command = pick(prng, NAMES);
  }
  const [round] = copy.rounds;
  if (round !== undefined && prng.below(3) === 0) {
    round.failure = {
      kind: "crash",
      arm: "candidate",
      scenario: null,
      text: attack(),
      detail: attack(),
    };
  }
  const [first] = copy.config.scenarios;
  if (first !== undefined && prng.below(2) === 0) {
    const name = attack();
    copy.config.scenarios.push({ ...first, name, id: `api/${name}` });
  }
  if (prng.below(4) === 0) {
    copy.config.waivers = [
      {
        metric: "p99",
        estimator: null,
        scenario: "echo",
        service: "api",
        upTo: 10,
        reason: attack(),
        owner: attack(),
        expires: "2099-01-01",
      },
    ];
  }
  copy.sources.candidate.dirty = prng.below(4) === 0;
  copy.cpuSets.disjoint = prng.below(4) > 0;
  const text = JSON.stringify(copy, function (this: Record<string, unknown>, key, value: unknown) {
    const isFree = typeof value === "string" && !KEPT_KEYS.has(key) && !Array.isArray(this);
    return isFree && prng.below(2) === 0 ? attack() : value;
  });
  for (const row of copy.explanation?.rows ?? []) row.function = pick(prng, NAMES);
  return makeZip([samplesEntry(text), oddManifest(prng)]);
}

/** What a pull request would set if its configuration counted. */
function laxer(prng: Prng): Uint8Array {
  const copy = structuredClone(REGRESSED);
  const { policy, scenarios, services } = copy.config;
  const slices = copy.rounds.flatMap((round) => round.scenarios.flatMap((one) => one.slices));
  const all =
    <T extends object>(items: readonly T[], change: Partial<T>) =>
    () => {
      for (const item of items) Object.assign(item, change);
    };
  const changes = [
    all(policy.metrics, { level: "info" }),
    all(policy.metrics, { margin: 10, floor: 10, tolerance: 9 }),
    all(services, { metrics: policy.metrics.map((one) => ({ ...one, level: "info" as const })) }),
    all([policy], { alpha: 1e-12 }),
    all([policy], { answerAll: true }),
    () => void scenarios.splice(1),
    all(slices, { void: { rule: "lag", detail: "x" } }),
    all(scenarios, { rateRps: 1 }),
    () => void copy.rounds.splice(prng.below(16)),
    all([copy.run], { state: "running" }),
  ];
  for (let i = 1 + prng.below(4); i > 0; i--) pick(prng, changes)();
  return makeArtifact(copy);
}

/** What contradicts itself, or what GitHub says; beside it, one that counts for nothing. */
function lying(prng: Prng): Uint8Array {
  const copy = structuredClone(REGRESSED);
  const { config, rounds, run, sources } = copy;
  const entries = rounds.flatMap(({ scenarios }) => scenarios);
  const lies = [
    () => {
      for (const { slices } of entries) {
        const [of] = Object.values(Object.groupBy(slices, ({ arm }) => arm));
        for (const [i, slice] of slices.entries())
          slice.latency = of?.[i % of.length]?.latency ?? null;
      }
    },
    () => {
      const unchanged = { by: pick(prng, ["sources", "artifact"] as const), key: "k" };
      copy.unchanged = config.services.map(({ name }) => ({ service: name, ...unchanged }));
      if (prng.below(2) === 0) copy.rounds = [];
    },
    () =>
      void Object.assign(sources.reference ?? {}, { commit: pick(prng, ["f", "c"]).repeat(40) }),
    () => void rounds.reverse(),
    () => {
      const early = prng.below(2) * 1000;
      for (const round of rounds) Object.assign(round, { startedAtMs: 0, endedAtMs: early });
    },
    () => void rounds.push(...rounds.map((round) => ({ ...round, index: round.index + 16 }))),
    () => void Object.assign(run, { compare: "stored" }),
  ];
  pick(prng, lies)();
  if (prng.below(2) === 0) {
    Object.assign(run, { ended: "answered", state: "complete" });
    const waived = { estimator: null, upTo: 10, reason: "x", owner: "x", expires: "2099-01-01" };
    const of = (metric: "p99" | "rss", scenario: string | null) => ({
      metric,
      scenario,
      service: "api",
    });
    config.waivers = [of("p99", "echo"), of("p99", "hello"), of("rss", null)].map((one) => ({
      ...one,
      ...waived,
    }));
  }
  return makeArtifact(copy);
}

function randomBytes(prng: Prng, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => prng.below(256));
}
