import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Samples, SamplesSchema } from "../../src/core/model/samples.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { identicalArms } from "../../test/support/calibration.ts";
import { type SamplesRecipe, varyCpu } from "../../test/support/samples.ts";
import { startBatch } from "../lines.ts";
import { SOURCE_PLANTS } from "../plants/plants.ts";
import { DISTURBANCES, disturbanceOf } from "./disturbances.ts";
import { chooseTask, KINDS, type Wanted } from "./kinds.ts";
import { renderEvidence } from "./page.ts";
import { readRuns, type StoredRun, storeRun } from "./runs.ts";
import { thinSamples } from "./thin.ts";
import { planted, withScenario } from "./working-copy.ts";

const PLANT = { service: "api", faults: "latency_us=30", finds: "api/echo p99" };
const EDIT = { service: "api", kind: "rename", name: "echo" };

function makeRun(kind: string, recipe: Partial<SamplesRecipe>, facts: Partial<StoredRun> = {}) {
  const samples: Samples = identicalArms({ rounds: 20, noise: 0.02, ...recipe });
  const { state, comparisons } = judge({ samples, baselines: [] });
  const red = comparisons.filter((one) => one.level === "gate" && one.state === "regressed");
  return {
    name: `${kind}-${recipe.seed ?? 1}`,
    kind,
    plant: null,
    disturbance: null,
    commit: "0123456789abcdef",
    minutes: 3,
    exitCode: 0,
    verdict: { state, regressed: red.map(({ id }) => id) },
    load: 0.5,
    samples,
    ...facts,
  } satisfies StoredRun;
}

const slower = { p99Ratio: { "api/echo": 1.3 } };

describe("what is measured next", () => {
  const gates = (counts: Record<string, number>, minutes = 3) =>
    Object.entries(counts).flatMap(([kind, n]) =>
      Array.from({ length: n }, (_, nth) => {
        const { service = "", name = "", kind: sort = "" } = KINDS[kind]?.edit?.(nth) ?? {};
        return {
          name: `${KINDS[kind]?.since ?? ""}T-${nth}`,
          kind,
          minutes,
          edit: { service, name, kind: sort },
        };
      }),
    );
  const all = Object.fromEntries(Object.entries(KINDS).map(([kind, { wanted }]) => [kind, wanted]));
  const any = { only: [], leftMinutes: 60, besideWork: false, failed: [] };
  const cases: [string, Record<string, number>, Partial<Wanted>, unknown][] = [
    ["the first kind at first", {}, {}, { kind: "aa-calm", nth: 0 }],
    ["then the next", { "aa-calm": 1 }, {}, { kind: "aa-disturbed", nth: 0 }],
    ["only what is asked for", { "p99+10": 4 }, { only: ["p99+10"] }, { kind: "p99+10", nth: 4 }],
    [
      "of several the one with the smaller share",
      { "p99+10": 4, "leak-2KB": 1 },
      { only: ["p99+10", "leak-2KB"] },
      { kind: "leak-2KB", nth: 1 },
    ],
    ["nothing calm beside work", {}, { besideWork: true }, { kind: "aa-disturbed", nth: 0 }],
    [
      "what fits into the time",
      { ...all, full: 0, "leak-2KB": 9 },
      { leftMinutes: 20 },
      { kind: "leak-2KB", nth: 9 },
    ],
    ["every edit once", { neutral: 2 }, { only: ["neutral"] }, { kind: "neutral", nth: 2 }],
    [
      "not the edit that failed, but the next",
      { neutral: 2 },
      { only: ["neutral"], failed: [{ kind: "neutral", nth: 2 }] },
      { kind: "neutral", nth: 3 },
    ],
    [
      "nothing of another kind of which one failed",
      { "p99+8-in-source": 1 },
      { only: ["p99+8-in-source"], failed: [{ kind: "p99+8-in-source", nth: 1 }] },
      null,
    ],
    [
      "edits also beside work",
      {},
      { only: ["neutral"], besideWork: true },
      { kind: "neutral", nth: 0 },
    ],
    ["nothing where nothing fits", {}, { leftMinutes: 2 }, null],
    ["nothing where all is there", all, { leftMinutes: 600 }, null],
  ];
  test.each(cases)("%s", (_, counts, wanted, expected) => {
    expect(chooseTask(gates(counts), { ...any, ...wanted })).toEqual(expected);
  });

  test("an edit that was left out before is the next, whatever was gated since", () => {
    const runs = gates({ neutral: 6 }).filter((_, nth) => nth !== 3);
    expect(chooseTask(runs, { ...any, only: ["neutral"] })).toEqual({ kind: "neutral", nth: 3 });
  });

  test("a gate may take as long as the longest of its kind", () => {
    const runs = gates({ ...all, "aa-calm": 20 }, 15);
    expect(chooseTask(runs, { ...any, only: ["aa-calm"], leftMinutes: 14 })).toBeNull();
    expect(chooseTask(runs, { ...any, only: ["aa-calm"], leftMinutes: 15 })).not.toBeNull();
  });
});

test("disturbances take turns, and each has something to start", () => {
  const turns = [0, 1, 2].map(disturbanceOf);
  expect(turns).toEqual(["compiler", "hogs", "compiler"]);
  for (const turn of turns) expect(DISTURBANCES[turn]?.commands).not.toEqual([]);
});

test("what is planted in source is found in the service that is edited, by turns", () => {
  const planting = Object.entries(KINDS).filter(([, { edit, plant }]) => edit && plant);
  expect(planting).toHaveLength(Object.keys(SOURCE_PLANTS).length);
  for (const [kind, { edit, plant }] of planting) {
    for (const [nth, service] of ["axum-api", "gin-api"].entries()) {
      expect(edit?.(nth).service, kind).toBe(service);
      expect(plant?.(nth).finds.startsWith(service), kind).toBe(true);
      expect(plant?.(nth)).not.toHaveProperty("faults");
    }
  }
});

test("every kind plants in this repository's configuration, and in nothing else of it", () => {
  for (const { config, plant } of Object.values(KINDS)) {
    const text = readFileSync(config, "utf8");
    for (const nth of [0, 1]) {
      const { service = "", faults } = plant?.(nth) ?? {};
      if (faults === undefined) continue;
      const expected = parse(text);
      expected.services[service].env.TAILGATE_FAULTS = faults;
      expect(parse(planted(text, { service, faults }))).toEqual(expected);
    }
  }
  const text = readFileSync("tailgate.yml", "utf8");
  expect(() => planted(text, { ...PLANT, service: "nobody" })).toThrow("services.nobody.env");
});

test("a scenario is added to what the configuration has", () => {
  const text = readFileSync("tailgate.yml", "utf8");
  const { scenarios, ...rest } = parse(text);
  const version = { request: "GET /version", rate: "500/s", services: ["gin-api"] };
  const added = withScenario(text, { name: "version", path: "/version", service: "gin-api" });
  expect(parse(added)).toEqual({ ...rest, scenarios: { ...scenarios, version } });
});

/** Cut into two windows; those of every fifth round released requests late, so are not calm. */
function withWindows(samples: Samples): Samples {
  const cut = structuredClone(samples);
  for (const { index, scenarios } of cut.rounds) {
    for (const slice of scenarios.flatMap(({ slices }) => slices)) {
      if (slice.latency === null) continue;
      const { requests, p50, p90, p95, p99, max } = slice.latency;
      const lagMax = index % 5 === 0 ? 9_000 : 900;
      const window = { requests: requests / 2, p50, p90, p95, p99, max, lagMax };
      slice.windows = [window, window];
    }
  }
  return cut;
}

test("what is kept is a samples file, smaller, with the same verdict", () => {
  for (const run of [makeRun("aa-calm", {}), makeRun("p99+20", slower)]) {
    const samples = withWindows(run.samples);
    const thin = thinSamples(samples);
    SamplesSchema.parse(thin);
    expect(JSON.stringify(thin).length).toBeLessThan(0.95 * JSON.stringify(samples).length);
    const [before, after] = [samples, thin].map((one) =>
      judge({ samples: one, baselines: [] })
        .comparisons.filter(({ level }) => level === "gate")
        .map(({ id, state, estimate, trail }) => ({ id, state, estimate, trail })),
    );
    expect(after).toEqual(before);
  }
});

test("runs are read as they were stored, batch after batch; no folder holds none", () => {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-evidence-"));
  try {
    expect(readRuns(join(folder, "none"))).toEqual([]);
    expect(readRuns(folder)).toEqual([]);
    const runs = ["aa-calm", "p99+20", "p99+10"].map<StoredRun>((kind) =>
      kind === "aa-calm" ? makeRun(kind, {}) : makeRun(kind, slower, { plant: PLANT }),
    );
    runs.push(makeRun("neutral", {}, { edit: EDIT }));
    const [later, sooner] = ["2026-12-01T00:00:01Z", "2026-12-01T00:00:00Z"].map((time) =>
      startBatch(folder, new Date(time)),
    ) as [string, string];
    for (const run of runs.slice(2)) storeRun(later, run);
    for (const run of runs.slice(0, 2)) storeRun(sooner, run);
    expect(readRuns(folder)).toEqual(
      runs.map((run) => ({ ...run, samples: thinSamples(run.samples) })),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe("the page", () => {
  const calm = [1, 2, 3, 4].map((seed) => makeRun("aa-calm", { seed }));
  const alarm = makeRun("aa-disturbed", { seed: 5, ...slower }, { disturbance: "hogs" });
  const found = makeRun("p99+20", { seed: 6, ...slower }, { plant: PLANT, minutes: 2 });
  const page = renderEvidence([...calm, alarm, found]);
  const rowOf = (start: string) => page.split("\n").find((line) => line.startsWith(start)) ?? "";

  test("counts each kind by what its gates said", () => {
    expect(rowOf("| aa-calm |")).toContain("| 4 of 30 | 4 | 0 | 0 | 0 | 4 of 4, 100.0 %");
    expect(rowOf("| aa-disturbed |")).toContain("real-time hogs");
    expect(rowOf("| aa-disturbed |")).toContain("| 1 | 0 | 1 | 0 | 0 | 0 of 1, 0.0 %");
    expect(rowOf("| p99+20 |")).toContain("| 0 | 1 | 0 | 0 | 1 of 1, 100.0 %");
    expect(rowOf("| p99+20 |")).toContain("| 2.0, 2.0 |");
  });

  test("shows gates under other limits apart, and does not count them", () => {
    const before = makeRun("aa-calm", { seed: 1 }, { name: "2026-11-26T100000Z-aa-calm" });
    const lines = renderEvidence([...calm.slice(0, 3), before]).split("\n");
    expect(lines.filter((line) => line.startsWith("| aa-calm | nothing"))).toEqual([
      expect.stringContaining("| nothing | 3 of 30 | 3 |"),
      expect.stringContaining("| nothing; by other limits, before 2026-11-27 | 1 | 1 |"),
    ]);
    expect(
      chooseTask([before], { only: ["aa-calm"], leftMinutes: 60, besideWork: false, failed: [] }),
    ).toEqual({ kind: "aa-calm", nth: 0 });
  });

  test("shows gates on unsteady cores apart: they count, and their minutes do not", () => {
    const unsteady = makeRun("aa-calm", { seed: 1 }, { minutes: 14 });
    varyCpu(unsteady.samples);
    const lines = renderEvidence([...calm.slice(0, 3), unsteady]).split("\n");
    expect(lines.filter((line) => line.startsWith("| aa-calm"))).toEqual([
      expect.stringContaining("| nothing | 3 of 30 | 3 |"),
      expect.stringMatching(/nothing; on cores of unsteady speed: .* varied by \d+ % /),
      expect.stringMatching(/^\| aa-calm \| 100 %; 4 of 4 \| ≤ 1.9; 3.0 \|/),
    ]);
  });

  test("shows a false alarm, by name and disturbance, and bounds their rate", () => {
    expect(page).toContain("- `aa-disturbed-5` (hogs): api/echo p99");
    // 1 − .05^(1/4), and the exact bound of 1 of 5.
    expect(rowOf("| calm |")).toBe("| calm | 4 | 0 | 52.7 % |");
    expect(rowOf("| all |")).toBe("| all | 5 | 1 | 65.7 % |");
  });

  test("counts edits without a plant apart from equal programs", () => {
    const edited = makeRun("neutral", { seed: 7 }, { edit: EDIT });
    const planted = makeRun(
      "p99+8-in-source",
      { seed: 8, ...slower },
      { plant: PLANT, edit: EDIT },
    );
    const added = makeRun("new-scenario", { seed: 9 }, { edit: EDIT });
    const lines = renderEvidence([...calm.slice(0, 3), edited, added, planted]).split("\n");
    const has = (start: string) => lines.find((line) => line.startsWith(start));
    expect(has("| neutral |")).toContain("| 1 of 48 | 1 | 0 | 0 | 0 | 1 of 1, 100.0 %");
    expect(has("| p99+8-in-source |")).toContain("| 0 | 1 | 0 | 0 | 1 of 1, 100.0 %");
    expect(has("| calm |")).toBe("| calm | 3 | 0 | 63.2 % |");
    expect(lines).toContain("| neutral | 1 | 0 | 95.0 % |");
    expect(lines).toContain("| new-scenario | 1 | 0 | 95.0 % |");
    expect(has("| all |")).toBe("| all | 5 | 0 | 45.1 % |");
  });

  test("says what a plant came to, where a gate missed it", () => {
    const missed = makeRun("cpu+20-in-source", {}, { plant: PLANT, edit: EDIT, minutes: 1 });
    const found = makeRun(
      "cpu+20-in-source",
      { seed: 6, ...slower },
      { plant: PLANT, edit: EDIT, minutes: 1 },
    );
    const said = (runs: readonly StoredRun[]) =>
      /^- \*Plants\*.*$/m.exec(renderEvidence(runs))?.[0].split("machine: ")[1];
    expect(said([found])).toBeUndefined();
    expect(said([missed, found])).toMatchInlineSnapshot(
      `"*cpu+20-in-source* came to +0.4 % to +29.7 % in api on Test CPU (1 of 2 red). Until 2026-11-29, 12:00 UTC, that of /echo in axum-api had three fifths of its present size."`,
    );
  });

  test("tells gates with a profile of their machine from those without one", () => {
    const found = () =>
      makeRun("p99+8-in-source", { seed: 6, ...slower }, { plant: PLANT, edit: EDIT });
    const profiled = found();
    profiled.samples.config.policy.autoMargins = {
      "api/echo p99 typical": { margin: 0.08, calibratedAt: "2026-01-01T00:00:00Z" },
    };
    const page = renderEvidence([profiled, found(), found()]);
    expect(page).toMatch(/1 of 1 are red with a profile[^,]*, .* 2 of 2\n/);
  });

  describe("says what was asked", () => {
    const aimOf = (runs: readonly StoredRun[], kind: string) =>
      renderEvidence(runs)
        .split("## What was asked")[1]
        ?.split("\n")
        .find((line) => line.startsWith(`| ${kind} |`));
    const inSource = { plant: PLANT, edit: EDIT };
    const cpu = (minutes: number) =>
      makeRun("cpu+20-in-source", { seed: 6, ...slower }, { ...inSource, minutes });
    const cases: [string, StoredRun[], string, string][] = [
      ["none", calm, "full", "| 100 %; 0 of 0 | ≤ 18; – |  |  | not measured |"],
      ["all is met", Array(10).fill(cpu(2)), "cpu+20-in-source", "≤ 2; 2.0 |  |  | met |"],
      ["too few", [cpu(1)], "cpu+20-in-source", "≤ 2; 1.0 |  |  | met, 1 of 10 gates |"],
      ["too slow", [cpu(2.1)], "cpu+20-in-source", "≤ 2; 2.1 |  |  | **missed**, 1 of 10 gates |"],
      [
        "not found",
        [makeRun("cpu+20-in-source", {}, { ...inSource, minutes: 1 })],
        "cpu+20-in-source",
        "| 100 %; 0 of 1 | ≤ 2; 1.0 |  |  | **missed**, 1 of 10 gates |",
      ],
      ["disturbed", [alarm], "aa-calm", "not measured"],
      [
        "red without a plant, once",
        [makeRun("neutral", { seed: 6, ...slower }, { edit: EDIT })],
        "neutral",
        "| ≤ 1 red; 1, and 0 green of 1 |  |  |  | met, 1 of 48 gates |",
      ],
      [
        "red without a plant, twice",
        Array(2).fill(makeRun("neutral", { seed: 6, ...slower }, { edit: EDIT })),
        "neutral",
        "**missed**",
      ],
    ];
    test.each(cases)("%s", (_, runs, kind, expected) => {
      expect(aimOf(runs, kind)).toContain(expected);
    });

    test.each([
      // By Kelly's formula of a sign that is right in 3 of 4 rounds, and in 9 of 16.
      [2, 0.1308, (doublings: number) => `by round ${2 * doublings}`],
      [8, 0.00783, () => "in no gate"],
    ])("and when a test could have proven a stall in each %ith round", (nth, growth, when) => {
      const run = makeRun("stall-all-in-source", { seed: 6, ...slower, rounds: 40 }, inSource);
      for (const { index, scenarios } of run.samples.rounds) {
        const slice = scenarios[0]?.slices.find(({ arm }) => arm === "candidate");
        if (index % nth === nth - 1 && slice?.latency) slice.latency.max = 150_000;
      }
      const questions = judge({ samples: run.samples, baselines: [] }).comparisons.filter(
        ({ level }) => level === "gate",
      ).length;
      const doublings = Math.ceil(Math.log2(questions / 0.01));
      const bySigns = Math.round(Math.log(questions / 0.01) / growth);
      const said = /(\d+) times (.*) \(by signs: (\d+) rounds\)\.$/m.exec(renderEvidence([run]));
      expect(said?.slice(1, 3)).toEqual([`${doublings}`, when(doublings)]);
      expect(Number(said?.[3]) / bySigns).toBeCloseTo(1, 2);
    });
  });

  test("has the other tools' rules where there are rounds for them", () => {
    expect(rowOf("| tailgate |")).toContain("0.0 %");
    expect(renderEvidence([alarm, found])).not.toContain("Other tools' rules");
  });

  test("says so when nothing is recorded", () => {
    expect(renderEvidence([])).toContain("No gate has been recorded");
  });
});
