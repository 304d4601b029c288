// Nothing in a pull request's samples loosens what they are judged by.
import { expect, test } from "vitest";
import { profileOfSpreads } from "../../../test/support/calibration.ts";
import { EXPLANATION } from "../../../test/support/report-cases.ts";
import { makeConfig, makeSamples, withLimits, withNew } from "../../../test/support/samples.ts";
import { recordBaseline } from "../baseline/record.ts";
import { withAutoMargins } from "../calibration/auto-margin.ts";
import type { Config, Dependency } from "../model/config.ts";
import { ARTIFACT_LIMITS } from "../model/manifest.ts";
import type { Explanation, Samples } from "../model/samples.ts";
import { renderMarkdown } from "../report/gate/markdown.ts";
import { isPlainPass } from "../report/pull-request/comment.ts";
import { parseUntrustedSamples } from "./parse-samples.ts";
import { type BaseTerms, verdictForBase } from "./verdict-for-base.ts";

const HEAD = "c".repeat(40);
const BASE = "b".repeat(40);
const NOW = "2026-01-03T00:00:00.000Z";

function terms(overrides: Partial<BaseTerms> = {}): BaseTerms {
  return {
    config: makeConfig(),
    baselines: [],
    profile: null,
    history: [],
    expected: { candidates: [HEAD], references: [BASE] },
    waivers: null,
    now: NOW,
    ...overrides,
  };
}

const steady = (): Samples => makeSamples({ rounds: 16, noise: 0.02 });
const slower = (): Samples =>
  makeSamples({ rounds: 20, noise: 0.02, p99Ratio: { "api/echo": 1.3 } });

function changed(samples: Samples, change: (samples: Samples) => unknown): Samples {
  const copy = structuredClone(samples);
  change(copy);
  return copy;
}

function baseConfig(change: (config: Config) => unknown): Config {
  const config = structuredClone(makeConfig());
  change(config);
  return config;
}

/** `state: headline`, `problem: text`, with the notes after it. */
function verdictOf(samples: Samples, overrides: Partial<BaseTerms> = {}): string {
  const result = verdictForBase(samples, terms(overrides));
  if (result.kind === "problem") return `problem: ${result.text}`;
  const { verdict } = result.report;
  return [`${verdict.state}: ${verdict.headline}`, ...result.notes].join("\n");
}

function check(samples: Samples, expected: RegExp, overrides: Partial<BaseTerms> = {}): void {
  expect(verdictOf(samples, overrides)).toMatch(expected);
}

test("honest samples are judged as they were", () => {
  check(steady(), /^pass: no regression[^\n]*$/);
  check(slower(), /^regressed: regressed: p99 of api\/echo is [^\n]*$/);
  const result = verdictForBase(steady(), terms());
  expect(result.kind === "verdict" && isPlainPass(result.report, result)).toBe(true);
});

test("why it is red is the job's account, shown with a verdict that is red by the base's terms", () => {
  const explained = changed(slower(), (samples) => {
    samples.explanation = EXPLANATION;
  });
  const lenient = baseConfig(({ policy }) => {
    for (const one of policy.metrics) one.level = "warn";
  });
  const shown = (config: Config): string => {
    const result = verdictForBase(explained, terms({ config }));
    return result.kind === "verdict" ? renderMarkdown(result.report) : result.text;
  };
  expect(shown(makeConfig())).toContain("`server.fingerprint`");
  expect(shown(lenient)).not.toContain("server.fingerprint");
});

test.each<[string, (explanation: Explanation) => unknown]>([
  ["a cause of its own words", (one) => Object.assign(one, { cause: "the reviewer" })],
  ["a sentence", (one) => Object.assign(one, { sentence: "approved" })],
  ["six functions", (one) => one.rows.push(...one.rows, ...one.rows)],
  [
    "a name without an end",
    ({ rows: [row] }) => Object.assign(row ?? {}, { calledBy: "x".repeat(201) }),
  ],
  ["no number", (one) => Object.assign(one, { after: 1e300 })],
])("an explanation with %s is refused", (_, spoil) => {
  const samples = changed(slower(), (one) => {
    one.explanation = structuredClone(EXPLANATION);
    spoil(one.explanation);
  });
  const { json } = ARTIFACT_LIMITS;
  const parsed = parseUntrustedSamples(JSON.stringify(samples), "samples.v1.json", json);
  expect(parsed).toMatchObject({ kind: "problem", text: expect.stringContaining("explanation") });
});

test("another commit's samples are refused", () => {
  check(
    steady(),
    /^problem: the samples are of commit cccccccccc, but the run was for aaaaaaaaaa$/,
    {
      expected: { candidates: ["a".repeat(40)], references: [BASE] },
    },
  );
  check(steady(), /^pass/, {
    expected: { candidates: ["a".repeat(40), HEAD], references: [BASE] },
  });
  const short = changed(steady(), ({ sources }) =>
    Object.assign(sources.candidate, { commit: HEAD.slice(0, 10) }),
  );
  check(short, /^problem/);
});

test("a reference of the pull request's choosing is refused", () => {
  check(steady(), /^problem: the samples compare with commit bbbbbbbbbb, expected aaaaaaaaaa/, {
    expected: { candidates: [HEAD], references: ["a".repeat(40)] },
  });
  check(steady(), /^problem: the samples compare with commit bbbbbbbbbb, expected none/, {
    expected: { candidates: [HEAD], references: [] },
  });
  const none = changed(steady(), ({ sources }) => Object.assign(sources, { reference: null }));
  check(none, /^problem: the samples compare by base and name no reference/);
  const dirty = changed(steady(), ({ sources }) => {
    if (sources.reference !== null) sources.reference.dirty = true;
  });
  check(dirty, /^problem: the reference was measured with uncommitted changes/);
});

test("a replay is of a commit that has a baseline", () => {
  const baseline = recordBaseline(makeSamples({ rounds: 8, noise: 0.01 }), "api");
  const replay = changed(steady(), ({ run }) => Object.assign(run, { compare: "replay" }));
  const config = baseConfig((base) => Object.assign(base, { compare: "replay" }));
  check(replay, /^problem: the samples compare with commit bbbbbbbbbb, expected cccccccccc/, {
    config,
    baselines: [baseline],
  });
  const ofBase = { ...baseline, source: { ...baseline.source, commit: BASE } };
  check(replay, /^pass/, { config, baselines: [ofBase] });
  // Of the baselines on several machines the newest is what a replay is of.
  const older = { ...ofBase, recordedAt: "2020-01-01T00:00:00.000Z" };
  check(replay, /^problem: the samples compare with commit bbbbbbbbbb, expected cccccccccc/, {
    config,
    baselines: [older, baseline],
  });
  // Of one service, against a commit that has none.
  const partly = changed(replay, ({ sources }) => {
    if (sources.reference === null) return;
    sources.references = { api: { ...sources.reference, commit: "e".repeat(40) } };
  });
  check(partly, /^problem: the samples compare with commit eeeeeeeeee/, {
    config,
    baselines: [ofBase],
  });
});

test("a margin that is auto is by the base branch's profile, whatever the samples have", () => {
  const config = baseConfig(({ policy }) => {
    const [p99] = policy.metrics;
    if (p99 !== undefined) p99.auto = true;
  });
  const profile = profileOfSpreads(config);
  const closer = withAutoMargins(config, profile, steady().host.fingerprint);
  const margins = (samples: Samples, overrides: Partial<BaseTerms>) => {
    const result = verdictForBase(samples, terms({ config, ...overrides }));
    if (result.kind === "problem") throw new Error(result.text);
    const { comparisons } = result.report.verdict;
    const [echo] = comparisons.filter(({ id }) => id === "api/echo p99 typical");
    return { margin: echo?.margin, notes: result.notes.length };
  };
  const honest = { ...steady(), config: closer };
  expect(margins(honest, { profile })).toEqual({ margin: 0.07, notes: 0 });
  const lax = changed(honest, ({ config: { policy } }) => {
    for (const one of Object.values(policy.autoMargins ?? {})) one.margin = 9;
  });
  expect(margins(lax, { profile })).toEqual({ margin: 0.07, notes: 1 });
  expect(margins(honest, { profile: null })).toEqual({ margin: 0.1, notes: 0 });
  const elsewhere = changed(honest, ({ host }) => {
    host.fingerprint.kernel = "another";
  });
  expect(margins(elsewhere, { profile }).margin).toBe(0.1);
  // Shards of unlike machines have no profile in common.
  const mixed = changed({ ...steady(), config }, ({ run }) => {
    run.merged = { of: 2, lost: [] };
  });
  expect(margins(mixed, { profile }).margin).toBe(0.1);
  // Not even by how quiet its own rounds are.
  const quiet = { ...makeSamples({ rounds: 16, noise: 0.001 }), config: closer };
  expect(margins(quiet, { profile })).toEqual({ margin: 0.07, notes: 0 });
});

test("a laxer policy is overruled, and named", () => {
  const lax = changed(slower(), ({ config }) => {
    config.policy.alpha = 1e-9;
    config.policy.answerAll = true;
    for (const metric of config.policy.metrics) {
      Object.assign(metric, { level: "info", margin: 10, floor: 10, tolerance: 9 });
    }
  });
  check(
    lax,
    /^regressed:.*\nThe pull request's configuration has other settings .*\(metrics, alpha, answerAll\)/,
  );
  const override = changed(slower(), ({ config }) => {
    for (const scenario of config.scenarios) {
      scenario.metrics = config.policy.metrics.map((metric) => ({ ...metric, level: "info" }));
    }
  });
  check(override, /^regressed:.*\n.*\(metrics of scenarios\)/);
  const ofServices = changed(slower(), ({ config }) => {
    for (const service of config.services) {
      service.metrics = config.policy.metrics.map((metric) => ({ ...metric, level: "info" }));
    }
  });
  check(ofServices, /^regressed:.*\n.*\(metrics of services\)/);
});

test("a scenario that is left out is not passed", () => {
  const without = changed(steady(), ({ config, rounds }) => {
    config.scenarios = config.scenarios.filter(({ id }) => id !== "api/echo");
    for (const round of rounds) {
      round.scenarios = round.scenarios.filter(({ scenario }) => scenario !== "api/echo");
    }
  });
  check(
    without,
    /^invalid: .*api\/echo: the base branch's configuration measures it, this run did not(;.*)?\n/,
  );
  const unmeasured = changed(steady(), ({ rounds }) => {
    for (const round of rounds) {
      round.scenarios = round.scenarios.filter(({ scenario }) => scenario !== "api/echo");
    }
  });
  check(unmeasured, /^invalid: .*api\/echo: no round was measured/);
});

test("leaving a scenario out does not hide a regression elsewhere", () => {
  const without = changed(slower(), ({ config }) =>
    Object.assign(config, { scenarios: config.scenarios.filter(({ id }) => id !== "api/hello") }),
  );
  check(without, /^regressed: .*\napi\/hello: the base branch's configuration measures it/);
});

test("an easier workload under the old name is not passed", () => {
  const easier = changed(steady(), ({ config }) => {
    for (const scenario of config.scenarios)
      Object.assign(scenario, { rateRps: 1, connections: 1 });
  });
  check(
    easier,
    /^invalid: .*api\/echo: it was measured with another definition .*\(rateRps, connections\)/,
  );
});

test("neither is another transport, or what else fills its requests", () => {
  const other = changed(steady(), ({ config }) => {
    for (const { recipe } of config.services) {
      recipe.transport = { protocol: "h2c", socket: false, tls: null };
      recipe.before = ["./login"];
    }
  });
  check(other, /^invalid: .*api\/echo: .*another definition .*\(transport, before\)/);
});

test("the content of a body file counts, where it is known", () => {
  const file = (sha256: string) => ({ path: "body.json", sha256, bytes: 2, repeat: null });
  const measured = changed(steady(), ({ config }) => {
    for (const { request } of config.scenarios) request.body = file("a1");
  });
  const withBody = (sha256: string): Partial<BaseTerms> => ({
    config: baseConfig((config) => {
      for (const { request } of config.scenarios) request.body = file(sha256);
    }),
  });
  check(measured, /^pass/, withBody("a1"));
  check(measured, /^pass/, withBody(""));
  check(measured, /^invalid: .*another definition .*\(request\)/, withBody("b2"));
  check(measured, /^invalid: .*another definition .*\(request\)/);
});

test("lines of paths, and the parts of a mix, count as bodies do", () => {
  const file = (sha256: string) =>
    ({ path: "paths.txt", sha256, bytes: 2, repeat: null, lines: "paths" }) as const;
  const set = (config: Config, sha256: string, weight = 9): void => {
    for (const scenario of config.scenarios) {
      const request = { ...scenario.request, path: "paths.txt", paths: file(sha256) };
      const part = { request, expectStatus: 200 };
      scenario.mix = [
        { name: "a", weight, ...part },
        { name: "b", weight: 1, ...part },
      ];
    }
  };
  const measured = changed(steady(), ({ config }) => set(config, "a1"));
  const base = (sha256: string, weight?: number): Partial<BaseTerms> => ({
    config: baseConfig((config) => set(config, sha256, weight)),
  });
  const other = /another definition .*\(mix\)/;
  expect(verdictOf(measured, base("a1"))).not.toMatch(other);
  expect(verdictOf(measured, base(""))).not.toMatch(other);
  check(measured, other, base("b2"));
  check(measured, other, base("a1", 8));
  // A base branch that sends the first part's request alone.
  const alone = baseConfig(({ scenarios }) => {
    for (const [i, scenario] of scenarios.entries()) {
      scenario.request = measured.config.scenarios[i]?.mix?.[0]?.request ?? scenario.request;
    }
  });
  const sent = changed(measured, ({ config: { scenarios } }) => {
    for (const scenario of scenarios)
      scenario.request = scenario.mix?.[0]?.request ?? scenario.request;
  });
  check(sent, other, { config: alone });
});

test("what the pull request ignores of answers does not loosen what the base branch compares", () => {
  const ignoring = (config: Config, ignore: string[]): void => {
    for (const scenario of config.scenarios) scenario.answers = { ignore };
  };
  const measured = changed(steady(), ({ config }) => ignoring(config, ["items"]));
  const base = { config: baseConfig((config) => ignoring(config, [])) };
  check(measured, /^invalid: .*another definition .*\(answers\)/, base);
});

test("an error budget of the pull request's own does not count", () => {
  const failing = changed(steady(), ({ config, rounds }) => {
    config.policy.errorBudget = 1;
    for (const { scenarios } of rounds) {
      for (const slice of scenarios[0]?.slices ?? []) slice.statuses = { "200": 500, "500": 500 };
    }
  });
  check(failing, /^invalid: .*api\/echo: 128 measurements count although more requests failed/);
});

test("a database that only the pull request shares can hide what a change costs", () => {
  const database = (isolation?: "shared" | "separate"): Dependency => ({
    kind: "postgresql",
    name: "db",
    dir: ".",
    schema: [],
    ...(isolation === undefined ? {} : { isolation }),
  });
  const checkIsolation = (
    own: "shared" | "separate" | undefined,
    base: "shared" | "separate" | undefined,
    expected: RegExp,
  ): void => {
    const measured = changed(steady(), ({ config }) =>
      Object.assign(config, { dependencies: [database(own)] }),
    );
    const config = baseConfig((terms) => Object.assign(terms, { dependencies: [database(base)] }));
    check(measured, expected, { config });
  };
  const words = /^invalid: .*db: both versions shared it, which the base branch's/;
  checkIsolation("shared", undefined, words);
  checkIsolation("shared", "separate", words);
  checkIsolation("shared", "shared", /^pass/);
  checkIsolation("separate", "shared", /^pass/);
  checkIsolation(undefined, "separate", /^pass/);
});

test("another scheme, another comparison", () => {
  const alternate = changed(steady(), ({ config }) => {
    for (const service of config.services) service.scheme = "alternate";
  });
  check(alternate, /^invalid: .*api: measured by the scheme alternate/);
  const alone = makeSamples({ rounds: 16, noise: 0.02, compare: "stored" });
  check(
    alone,
    /^invalid: .*the run compared by stored, the base branch's configuration asks for base/,
  );
  const auto = baseConfig((config) => Object.assign(config, { compare: "auto" }));
  check(alone, /^no-baseline/, { config: auto });
});

test("what is new is shown and not judged", () => {
  const added = changed(slower(), () => {});
  const config = baseConfig((base) =>
    Object.assign(base, { scenarios: base.scenarios.filter(({ id }) => id === "api/hello") }),
  );
  check(
    added,
    /^pass: .*\napi\/echo is measured here but not on the base branch: it is shown and not judged\.$/,
    { config },
  );
  const result = verdictForBase(added, terms({ config }));
  if (result.kind === "problem") throw new Error(result.text);
  const levels = result.report.verdict.comparisons
    .filter(({ scenario }) => scenario === "api/echo")
    .map(({ level }) => level);
  expect(levels).toEqual(["info", "info"]);
  const elsewhere = changed(steady(), ({ config: theirs }) => {
    const [first] = theirs.scenarios;
    if (first !== undefined) {
      theirs.scenarios.push({ ...first, id: "new/echo", service: "new" });
    }
  });
  check(
    elsewhere,
    /^pass: .*\nnew\/echo belongs to a service that the base branch's configuration does not have/,
  );
});

test("the number of questions that share alpha is the base branch's", () => {
  const many = changed(steady(), ({ config }) => {
    const [first] = config.scenarios;
    for (let i = 0; i < 50 && first !== undefined; i++) {
      config.scenarios.push({ ...first, id: `api/extra${i}`, name: `extra${i}` });
    }
  });
  const plain = verdictForBase(steady(), terms());
  const crowded = verdictForBase(many, terms());
  if (plain.kind === "problem" || crowded.kind === "problem") throw new Error("not judged");
  const evidence = ({ report }: typeof plain) => report.verdict.comparisons[0]?.evidence;
  expect(evidence(crowded)).toEqual(evidence(plain));
});

test("a killed run has ended", () => {
  const killed = changed(makeSamples({ rounds: 0, noise: 0.02 }), ({ run }) => {
    run.state = "running";
    run.ended = "running";
  });
  check(killed, /^invalid: .*no round was measured\nThe run was stopped before it was complete\.$/);
});

test("waivers of the base branch count until their last day", () => {
  const waiver = {
    metric: "p99" as const,
    estimator: null,
    scenario: "echo",
    service: "api",
    upTo: 0.6,
    reason: "a reason",
    owner: "ann",
    expires: "2026-12-31",
  };
  const config = baseConfig((base) => Object.assign(base, { waivers: [waiver] }));
  check(slower(), /^pass/, { config });
  check(slower(), /^regressed/, { config, now: "2027-01-01T00:00:00.000Z" });
});

test("rounds without end are judged in bounded time, in the order measured", () => {
  const long = makeSamples({ rounds: 300, noise: 0.02, p99Ratio: { "api/echo": 1.3 } });
  check(long, /^regressed: .*\nThere are far more rounds than the base branch looks at/);
  const result = verdictForBase(long, terms());
  expect(result.kind === "verdict" && result.report.scenarios[0]?.rounds).toBe(150);
});

const UNCHANGED = [{ service: "api", by: "sources" as const, key: "k" }];
const unmeasured = (): Samples => ({ ...steady(), rounds: [], unchanged: UNCHANGED });

test("that a service is unchanged is believed as numbers are", () => {
  check(unmeasured(), /^pass: nothing to measure: api unchanged/);
});

test("what is said to be unchanged is not, where the base branch asks for something else", () => {
  const otherwise = changed(unmeasured(), ({ config }) => {
    for (const scenario of config.scenarios) scenario.rateRps *= 2;
  });
  check(otherwise, /^invalid: .*api\/echo/);
  const unknown = { ...unmeasured(), unchanged: [{ service: "web", by: "sources", key: "k" }] };
  check(unknown as Samples, /^invalid/);
  const alone = changed(unmeasured(), ({ run, sources }) => {
    run.compare = "stored";
    sources.reference = null;
  });
  const config = baseConfig((base) => Object.assign(base, { compare: "stored" }));
  expect(verdictOf(alone, { config })).not.toMatch(/^pass/);
});

test("what the base branch measures is not new", () => {
  check(withNew(slower(), "api/echo"), /^problem: the samples have no reference for api\/echo/);
  const older = baseConfig((config) => config.scenarios.pop());
  check(withNew(steady(), "api/hello"), /^pass: [^\n]*; new: api\/hello/, {
    config: older,
  });
});

test("the base branch's limits count, and a pull request's own change nothing", () => {
  const limits = (rss: number) => withLimits(steady(), { p99: 900, rss });
  const [low, high] = [15 * 1024 ** 2, 100 * 1024 ** 2];
  const held = (base: number): Partial<BaseTerms> => ({ config: limits(base).config });
  check(limits(high), /^pass: no regression: each of 8 gated metrics[^\n]*$/, held(high));
  // Raised, or taken out: red all the same, and told.
  check(
    limits(high),
    /^regressed: regressed: RSS after load of api is 19[^\n]*\n.*metrics/,
    held(low),
  );
  check(steady(), /^regressed: regressed: RSS after load of api is 19[^\n]*\n.*metrics/, held(low));
  check(limits(low), /^pass: [^\n]*\n.*metrics/, held(high));
});

test("a scenario that the base branch lacks is held to the base's general limits, not to its own", () => {
  const without = baseConfig((config) => {
    config.scenarios = config.scenarios.filter(({ id }) => id !== "api/hello");
  });
  const generous = changed(withNew(withLimits(steady(), { p99: 9000 }), "api/hello"), (samples) => {
    const [, hello] = samples.config.scenarios;
    if (hello) hello.metrics = samples.config.policy.metrics;
  });
  const base = { ...steady(), config: without };
  check(generous, /^pass: .*new: api\/hello/, { config: without });
  check(generous, /^regressed: regressed: .*p99 of api\/hello is \d+ µs \(limit 100 µs\)/, {
    config: withLimits(base, { p99: 100 }).config,
  });
});
