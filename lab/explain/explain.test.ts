import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { explain } from "../../satellites/explain/explanation.ts";
import { encodePprof } from "../../satellites/explain/pprof.ts";
import { plainSentence } from "../../satellites/explain/words.ts";
import { ExplanationSchema } from "../../scripts/generate/satellite-schemas.ts";
import { type Made, makeSession } from "../../test/support/profiles.ts";
import { identityOf, SERVICES } from "../edit.ts";
import { chooseTask, type Wanted } from "../evidence/kinds.ts";
import { withOtherTimeout } from "../evidence/working-copy.ts";
import { startBatch } from "../lines.ts";
import { COSTS } from "../plants/costs.ts";
import { EXPLAINED, loadOf } from "./kinds.ts";
import { renderExplained } from "./page.ts";
import { rankPlainly, readPprof, type Sample } from "./plain.ts";
import {
  EXPLAINED_RUNS,
  type ExplainedRun,
  isAnswered,
  parseSaid,
  readExplained,
  type Said,
  storeExplained,
} from "./runs.ts";
import { scoreRun } from "./score.ts";

/** What the command prints of such a session. */
function printed(made: Made): string {
  const explanation = explain(makeSession(made));
  const result = ExplanationSchema.parse({
    ...{ schema: "tailgate.explanation.v1", tool: "tailgate 1" },
    ...{ sentence: plainSentence(explanation), again: "", refused: null, notes: [] },
    ...explanation,
  });
  return JSON.stringify(result);
}

const HASH = { "sha.block @hash @echo http.serve": 16 };
const NOTHING = parseSaid(printed({}));

const row = (name: string): Said["rows"][number] => ({
  ...{ function: name, calledBy: null, within: null },
  ...{ before: 0, after: 10, p: 0.001 },
});

const said = (cause: Said["cause"], ...functions: string[]): Said => ({
  ...NOTHING,
  cause,
  rows: functions.map(row),
});

const GO = "github.com/tailgate/tailgate/services/gin-api/internal/server";

function makeRun(kind: string, nth: number, facts: Partial<ExplainedRun> = {}): ExplainedRun {
  const edit = EXPLAINED[kind]?.edit(nth);
  if (edit === undefined) throw new Error(`no ${kind}`);
  return {
    name: `2026-12-01T0000${String(nth).padStart(2, "0")}Z-${kind}`,
    ...{ kind, edit: identityOf(edit), scenario: "echo", disturbance: null },
    commit: "0123456789abcdef",
    machine: { cpuModel: "CPU", cpus: 2, memoryGiB: 8, kernel: "6.1" },
    ...{ minutes: 2, exitCode: 0, load: 0.5, said: NOTHING, plain: [], failure: [] },
    ...facts,
  };
}

/** Which run of a kind plants this. */
const nthOf = (name: string, service: string): number =>
  Array.from({ length: EXPLAINED.planted?.wanted ?? 0 }).findIndex((_, nth) => {
    const edit = EXPLAINED.planted?.edit(nth);
    return edit?.name === name && edit.service === service;
  });

describe("what is explained next", () => {
  const next = (runs: readonly ExplainedRun[], wanted: Partial<Wanted> = {}) => {
    const any = { only: [], leftMinutes: 600, besideWork: false, failed: [] };
    return chooseTask(runs, { ...any, ...wanted }, EXPLAINED);
  };
  const times = (kind: string, count: number): ExplainedRun[] =>
    Array.from({ length: count }, (_, nth) => makeRun(kind, nth));

  test("takes turns by the share that there is, and stops when all is there", () => {
    const check = (runs: readonly ExplainedRun[], expected: unknown) =>
      expect(next(runs)).toEqual(expected);
    check([], { kind: "planted", nth: 0 });
    check(times("planted", 1), { kind: "beside-compiler", nth: 0 });
    const all = Object.entries(EXPLAINED).flatMap(([kind, { wanted }]) => times(kind, wanted));
    check(all, null);
    check(all.slice(1), { kind: "planted", nth: 2 * Object.keys(COSTS).length });
  });

  test("every cost and service once before any comes twice, whatever was left out before", () => {
    const only = { only: ["planted"] };
    const once = 2 * Object.keys(COSTS).length;
    expect(next(times("planted", once), only)).toEqual({ kind: "planted", nth: once });
    expect(next(times("planted", once + 1).slice(1), only)?.nth).toBe(once);
    const without = times("planted", once).filter((_, nth) => nth !== 3);
    expect(next(without, only)?.nth).toBe(3);
  });

  test("one that failed is tried again where it comes up again", () => {
    const failed = [{ kind: "unchanged", nth: 0 }];
    const asked = { only: ["unchanged"], failed };
    expect(next([], asked)?.nth).toBe(1);
    expect(next([makeRun("unchanged", 1)], asked)?.nth).toBe(2);
  });
});

test("each edit is met by a load that its configuration has", () => {
  for (const { edit, wanted } of Object.values(EXPLAINED))
    for (let nth = 0; nth < wanted; nth++) {
      const { config, scenario } = loadOf(edit(nth));
      const { scenarios, services } = parse(readFileSync(config, "utf8"));
      expect(services).toHaveProperty(edit(nth).service);
      expect(scenarios).toHaveProperty(scenario);
    }
  expect(loadOf({ kind: "neutral", name: "hashRounds" }).scenario).toBe("process");
});

test("an unchanged service differs in how long it may take to start, and in nothing else", () => {
  const text = readFileSync("tailgate.yml", "utf8");
  for (const service of SERVICES) {
    const expected = parse(text);
    expect(expected.services[service].ready).toBe("/healthz");
    expected.services[service].ready = { http: "/healthz", timeout: "31s" };
    expect(parse(withOtherTimeout(text, service))).toEqual(expected);
  }
});

test("what the command prints is kept as far as it is asked about", () => {
  const kept = parseSaid(printed({ change: HASH }));
  expect(kept).toMatchObject({ cause: { kind: "cpu" }, refused: null, rounds: 12 });
  expect(kept.rows[0]).toMatchObject({ function: "example.com/shop/server.hash", before: 0 });
  expect(() => parseSaid("no rounds")).toThrow();
});

describe("plain lists", () => {
  test("are of the files that the command leaves", () => {
    const { launches } = makeSession({ change: HASH });
    const [before, after] = (["reference", "candidate"] as const).map((arm) =>
      readPprof(encodePprof(launches, arm)),
    ) as [Sample[], Sample[]];
    const msOf = (samples: readonly Sample[]) =>
      samples.reduce((ms, one) => ms + one.value / 1e6, 0);
    expect(msOf(before)).toBeCloseTo(205, -1);
    expect(msOf(after)).toBeCloseTo(221, -1);
    const hashed = after.filter(({ names }) => names.includes("example.com/shop/server.hash"));
    expect(hashed[0]?.names).toEqual([
      "sha.block",
      "example.com/shop/server.hash",
      "example.com/shop/server.echo",
      "http.serve",
    ]);
    expect(before.some(({ names }) => names.includes("sha.block"))).toBe(false);
    expect(() => readPprof(Uint8Array.of(0x12, 0x85))).toThrow("within a number");
  });

  test("have a function where its symbol that rose most is", () => {
    const stack = (value: number, ...names: string[]): Sample => ({ names, value });
    const ranks = rankPlainly(
      { service: "gin-api", also: ["http.serve"] },
      [stack(50, `${GO}.echo`, "http.serve")],
      [
        stack(50, `${GO}.echo`, "http.serve"),
        stack(30, "sha.block", `${GO}.hash`, `${GO}.echo`, "http.serve"),
        stack(5, `${GO}.hash`, `${GO}.echo`, "http.serve"),
        stack(1, `${GO}.echo.func1`, `${GO}.echo`, "http.serve"),
      ],
    );
    expect(ranks).toEqual([
      { function: "server.echo", flat: 3, cumulative: 1 },
      { function: "http.serve", flat: null, cumulative: 1 },
      { function: "server.hash", flat: 2, cumulative: 3 },
    ]);
  });
});

describe("a score", () => {
  const score = (name: string, service: string, facts: Partial<ExplainedRun>) => {
    const run = makeRun("planted", nthOf(name, service), facts);
    if (!isAnswered(run)) throw new Error("no answer");
    const { run: _, ...rest } = scoreRun(run) ?? {};
    return rest;
  };

  test("is of the planted function, or the first that may have it", () => {
    const plain = [
      { function: "server.echo", flat: 9, cumulative: 2 },
      { function: "server.distinct", flat: null, cumulative: 4 },
      { function: "server.answer", flat: 1, cumulative: 1 },
    ];
    const rows = [`${GO}.answer`, `${GO}.distinct`, `${GO}.echo`];
    expect(score("sort", "gin-api", { said: said({ kind: "cpu" }, ...rows), plain })).toEqual({
      ...{ said: "cpu", isRight: true, isAmong: true, planted: "cpu" },
      places: { explain: 2, byName: 2, flat: 9, cumulative: 2 },
    });
    const missed = score("sort", "gin-api", { said: said({ kind: "nothing" }) });
    expect(missed).toMatchObject({
      ...{ said: "nothing", isRight: false },
      places: { explain: null, byName: null, flat: null, cumulative: null },
    });
    // Where a compiler puts handlers.
    const runner = "<F as axum::handler::Handler<(M,T1,T2),S>>::call";
    for (const holder of [runner, "axum_api::routes::echo::answer"]) {
      const put = said({ kind: "cpu" }, "alloc::raw_vec::grow", holder);
      expect(score("sort", "axum-api", { said: put })).toMatchObject({
        places: { explain: 2, byName: null },
      });
    }
  });

  test("tells waits apart, and what was said first from what was said beside", () => {
    const check = (name: string, one: Partial<Said>, right: boolean, among: boolean) =>
      expect(score(name, "axum-api", { said: { ...NOTHING, ...one } })).toMatchObject({
        isRight: right,
        isAmong: among,
      });
    check("lock", { cause: { kind: "waiting", for: "timer" } }, true, true);
    check("lock", { cause: { kind: "waiting", for: "unknown" } }, false, false);
    check("regexp", { cause: { kind: "memory" }, also: [{ kind: "cpu" }] }, false, true);
    check("file", { cause: { kind: "waiting", for: "disk" } }, true, true);
  });

  test("of memory and of a start has no list of the CPU of requests", () => {
    const plain = [{ function: "server.remember", flat: 1, cumulative: 1 }];
    const one = score("leak", "gin-api", { said: said({ kind: "memory" }), plain });
    expect(one).toMatchObject({ planted: "memory", places: { flat: null, cumulative: null } });
  });

  test("is of what is planted now", () => {
    const edit = { service: "gin-api", kind: "cost", name: "none" };
    for (const run of [makeRun("planted", 0, { edit }), makeRun("neutral", 0)])
      expect(isAnswered(run) && scoreRun(run)).toBe(null);
  });
});

test("runs are read as they were stored, with an answer or without; no folder holds none", () => {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-explained-"));
  try {
    const runs = [
      makeRun("planted", 0),
      makeRun("neutral", 1, { said: null, exitCode: 2, failure: ["no rounds"] }),
    ];
    const batch = startBatch(join(folder, "runs"));
    expect(readExplained(join(folder, "runs"))).toEqual([]);
    for (const run of runs) storeExplained(batch, run);
    expect(readExplained(join(folder, "runs"))).toEqual(runs);
    expect(runs.map(isAnswered)).toEqual([true, false]);
    const refused = { ...NOTHING, refused: { why: "paranoid", next: "" } };
    expect(isAnswered(makeRun("planted", 0, { said: refused }))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the page", () => {
  test("is none where nothing was run", () => {
    expect(renderExplained([])).toBe(null);
  });

  test("says what the recorded runs say: node lab/evidence/render.ts", () => {
    const page = "lab/explain/README.md";
    const text = existsSync(page) ? readFileSync(page, "utf8") : null;
    expect(renderExplained(readExplained(EXPLAINED_RUNS))).toBe(text);
  });

  test("tells of each kind what is right, what is not, and what is missing", () => {
    const go = nthOf("sort", "gin-api");
    const plain = [{ function: "server.distinct", flat: 7, cumulative: 12 }];
    const found = { said: said({ kind: "cpu" }, `${GO}.distinct`), plain };
    const page = renderExplained([
      makeRun("planted", go, found),
      makeRun("planted", nthOf("leak", "gin-api"), { said: said({ kind: "memory" }) }),
      makeRun("planted", nthOf("regexp", "axum-api"), {
        said: { ...said({ kind: "memory" }), also: [{ kind: "cpu" }] },
      }),
      makeRun("beside-compiler", go, { ...found, disturbance: "compiler" }),
      makeRun("unchanged", 1),
      makeRun("neutral", 1, { said: said({ kind: "cpu" }, `${GO}.echo`) }),
      makeRun("neutral", 2, { said: null, exitCode: 2, failure: ["no rounds"] }),
    ]);
    expect(page).toMatchSnapshot();
  });
});
