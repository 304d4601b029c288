// Nights one after the other: what each leaves in the history, who may write there, and what a later
// night makes of it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  fakeUseCases,
  freshForEach,
  github,
  REGRESSED,
  runStep,
  type Step,
  sampled,
  workspace,
} from "../../../test/support/action.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import { writeSamples } from "../../app/documents/samples.ts";
import { reportOn } from "../../app/gate/outcome.ts";
import { recordBaseline } from "../../core/baseline/record.ts";
import type { Samples } from "../../core/model/samples.ts";

freshForEach();

const ANCHOR = "a".repeat(40);
const OTHER = "b".repeat(40);

/** Before the day of the test's clock. */
const timeOf = (day: number): string => `2026-11-${String(day).padStart(2, "0")}T01:17:00.000Z`;

function nightOn(day: number, recipe: Partial<SamplesRecipe> = {}, anchor = ANCHOR): Samples {
  const samples = sampled({ seed: day, ...recipe });
  const { candidate } = samples.sources;
  return {
    ...samples,
    run: { ...samples.run, id: `night-${day}`, startedAt: timeOf(day) },
    sources: {
      candidate: { ...candidate, commit: String(day).padStart(40, "0") },
      reference: { ...candidate, commit: anchor, label: "commit of the stored baseline" },
    },
  };
}

const night = (samples: Samples, step: Partial<Step> = {}) =>
  runStep({
    event: "schedule",
    samples,
    ...step,
    inputs: { mode: "nightly", ...step.inputs },
  });

test("each night is one record, the same run once", async () => {
  for (const day of [3, 4, 4]) {
    const { conclusion, runner } = await night(nightOn(day));
    expect(conclusion.state).toBe("success");
    expect(runner.lines.join("\n")).toContain("recorded");
  }
  expect(github.history().map(({ run, commit, anchors }) => [run, commit.sha, anchors])).toEqual(
    [3, 4].map((day) => [
      {
        id: `night-${day}`,
        url: "https://github.com/acme/shop/actions/runs/7164329001",
        startedAt: timeOf(day),
        shard: null,
      },
      String(day).padStart(40, "0"),
      { api: { commit: ANCHOR, name: "commit of the stored baseline" } },
    ]),
  );
});

test("a night measures what is unchanged too, and is told what nights before it were", async () => {
  await night(nightOn(3));
  const asked: unknown[] = [];
  const real = fakeUseCases(nightOn(4));
  await night(nightOn(4), {
    useCases: {
      openProject: (options, environment) => {
        asked.push([options.measureUnchanged, options.history?.map(({ run }) => run.id)]);
        return real.openProject(options, environment);
      },
    },
  });
  expect(asked).toEqual([[true, ["night-3"]]]);
});

test.each([["refs/heads/feature"], ["refs/tags/v1"]])(
  "a run of %s records nothing, and says so",
  async (ref) => {
    const { conclusion, runner } = await night(nightOn(3), { ref });
    expect(conclusion.state).toBe("success");
    expect(runner.lines.join("\n")).toContain(
      "not recorded: the history is of main, and this run is of",
    );
    expect(github.history()).toEqual([]);
  },
);

test("a pull request reads the history and writes none", async () => {
  await night(nightOn(3));
  github.asked.length = 0;
  const asked: unknown[] = [];
  const samples = nightOn(5);
  const baselines = [recordBaseline(samples, "api")];
  const gate: Partial<Step["useCases"]> = {
    baselinesOf: async () => baselines,
    gate: (project, environment) => {
      asked.push(project.history.map(({ run }) => run.id));
      return fakeUseCases(samples).gate(project, environment);
    },
  };
  const step = { event: "pull-request" as const, github, workspace, samples, useCases: gate ?? {} };
  await runStep({ ...step, inputs: { mode: "gate", comment: "never" } });
  expect(asked).toEqual([["night-3"]]);
  expect(github.asked).not.toContain("commitFiles");
  await runStep({ ...step, inputs: { mode: "gate", comment: "never", history: "off" } });
  expect(asked).toEqual([["night-3"], []]);
});

test("a history that cannot be read is no verdict's end; one that cannot be written is seen", async () => {
  github.failing = { operation: "tree", reason: "unavailable" };
  github.push("tailgate-history", { "README.md": "kept" });
  const { conclusion, runner } = await night(nightOn(3));
  expect(runner.lines.join("\n")).toContain(
    "the history cannot be read, so stored values decide nothing",
  );
  expect(runner.outputs.verdict).toBe("pass");
  expect(conclusion.state).toBe("failure");
  expect(conclusion.headline).toMatch(/^PASS.*, but could not do tree: unavailable$/);
});

test("GitHub down where the night is recorded: the issue is told all the same, and the job fails", async () => {
  github.failing = { operation: "repository", reason: "unavailable" };
  const { conclusion } = await night(nightOn(3, REGRESSED));
  expect(conclusion.headline).toMatch(/^REGRESSED.*, but could not do repository: unavailable$/);
  expect(github.issues).toMatchObject([{ state: "open" }]);
});

test("switched off, or without a token that may write", async () => {
  await night(nightOn(3), { inputs: { history: "off" } });
  expect(github.history()).toEqual([]);
  github.isReadOnly = true;
  const { conclusion } = await night(nightOn(3));
  expect(conclusion).toMatchObject({
    state: "failure",
    headline: expect.stringContaining("GitHub refused to commit files"),
  });
});

test("in a folder, where there is one", async () => {
  await night(nightOn(3), { inputs: { history: "folder:kept" } });
  const { runner } = await night(nightOn(4), { inputs: { history: "folder:kept" } });
  expect(runner.lines.join("\n")).toContain(`folder ${join(workspace, "kept")}`);
  expect(github.history()).toEqual([]);
});

test("when the anchor moves, the same commit is measured against the one before, once", async () => {
  await night(nightOn(3));
  const asked: unknown[] = [];
  const measured = [
    nightOn(4, {}, OTHER),
    { ...nightOn(4), run: { ...nightOn(4).run, id: "splice" } },
  ];
  const gate: Step["useCases"] = {
    openProject: (options, environment) => {
      asked.push([options.reference ?? null, options.compare, options.services ?? null]);
      return fakeUseCases(nightOn(4)).openProject(options, environment);
    },
    gate: (project, environment) => {
      const next = measured.shift();
      if (next === undefined) throw new Error("measured once more");
      return fakeUseCases(next).gate(project, environment);
    },
  };
  await night(nightOn(4), { useCases: gate });
  expect(asked).toEqual([
    [null, "replay", null],
    [ANCHOR, "base", ["api"]],
  ]);
  expect(
    github.history().map(({ run, anchors }) => [run.id, run.shard, anchors.api?.commit]),
  ).toEqual([
    ["night-3", null, ANCHOR],
    ["night-4", null, OTHER],
    ["splice", "splice", ANCHOR],
  ]);
  // Now they join.
  measured.push(nightOn(5, {}, OTHER));
  await night(nightOn(5, {}, OTHER), { useCases: gate });
  expect(measured).toEqual([]);
});

test("what other jobs measured is recorded by the job that speaks for them", async () => {
  const needs = JSON.stringify({ full: { result: "success", outputs: {} } });
  mkdirSync(join(workspace, "measured/full"), { recursive: true });
  writeSamples(join(workspace, "measured/full/samples.v1.json"), nightOn(3));
  writeFileSync(join(workspace, "measured/full/report.md"), "not ours");
  const inputs = { mode: "nightly", needs, "record-folder": "measured" };
  const { conclusion, runner } = await night(nightOn(9), { inputs });
  expect(conclusion).toEqual({ state: "success", headline: "all jobs went well" });
  expect(github.history().map(({ run }) => run.id)).toEqual(["night-3"]);
  const page = join(runner.outputs.reports ?? "", "history.html");
  expect(readFileSync(page, "utf8")).toContain("over 1 run,");
});

test("each night leaves a page of the whole history among its reports", async () => {
  await night(nightOn(3));
  writeFileSync(join(workspace, "tailgate.annotations.yml"), "- date: 2026-11-03\n  text: moved");
  const { runner } = await night(nightOn(4));
  const page = readFileSync(join(runner.outputs.reports ?? "", "history.html"), "utf8");
  expect(page).toContain("over 2 runs, from 2026-11-03 to 2026-11-04");
  expect(page).toContain("moved");
  writeFileSync(join(workspace, "tailgate.annotations.yml"), "- text: when?");
  const unread = await night(nightOn(5));
  expect(unread.conclusion.state).toBe("success");
  expect(unread.runner.lines.join("\n")).toMatch(/no page of the history: .*annotations\.yml:1:3/);
});

test.each([
  ["one job measured the new anchor alone", [nightOn(4, {}, OTHER)], true],
  [
    "another measured the same commit against the old one",
    [nightOn(4, {}, OTHER), { ...nightOn(4), run: { ...nightOn(4).run, id: "night-4-old" } }],
    false,
  ],
])("several jobs of a night in which the anchor moves: %s", async (_, measured, isApart) => {
  await night(nightOn(3));
  for (const [i, samples] of measured.entries()) {
    mkdirSync(join(workspace, `measured/${i}`), { recursive: true });
    writeSamples(join(workspace, `measured/${i}/samples.v1.json`), samples);
  }
  const needs = JSON.stringify({ full: { result: "success", outputs: {} } });
  const inputs = { mode: "nightly", needs, "record-folder": "measured" };
  const { runner } = await night(nightOn(9), { inputs });
  expect(runner.lines.join("\n").includes("their series begin anew")).toBe(isApart);
  expect(github.history()).toHaveLength(1 + measured.length);
});

/** The night's gate as it is, with this baseline of day 1. */
function calendar(baselineOf: Samples) {
  const baselines = [recordBaseline(baselineOf, "api")];
  return async (samples: Samples) => {
    const fake = fakeUseCases(samples);
    return night(samples, {
      useCases: {
        openProject: async (options, environment) => ({
          ...(await fake.openProject(options, environment)),
          history: options.history ?? [],
        }),
        gate: async (project, environment) => ({
          ...(await fake.gate(project, environment)),
          report: reportOn(samples, baselines, project.history),
        }),
      },
    });
  };
}

function baselineOfDay(day: number): Samples {
  const samples = makeSamples({ rounds: 20, noise: 0.01, seed: 99, compare: "stored" });
  return {
    ...samples,
    config: sampled().config,
    run: { ...samples.run, id: "baseline", startedAt: timeOf(day) },
  };
}

test("a service that grows a little each night: no night sees much, and the anchor does", async () => {
  const spend = calendar(baselineOfDay(1));
  const open: number[] = [];
  for (const day of [2, 3, 4, 5, 6]) {
    const rssRatio = { api: 1.015 ** (day - 2) };
    await spend(nightOn(day, { rssRatio, noise: 0.01, rounds: 16 }));
    if (github.issues.some(({ state }) => state === "open")) open.push(day);
  }
  // Its floor is 2.5 %; up to +4.6 % it is shown to be within the margin of 5 % at first.
  expect(open).not.toContain(3);
  expect(open).toContain(6);
  expect(github.history()).toHaveLength(5);
});

test("both arms grow alike, as by a newer compiler: against the stored values it is seen, and told", async () => {
  const spend = calendar(baselineOfDay(1));
  for (let day = 4; day <= 9; day++) await spend(nightOn(day, { noise: 0.01, rounds: 16 }));
  expect(github.issues).toEqual([]);
  const heavier = nightOn(10, { noise: 0.01, rounds: 20 });
  for (const { launches } of heavier.rounds) {
    for (const launch of [launches?.candidate, launches?.reference]) {
      if (launch?.values.rss !== undefined) launch.values.rss *= 1.1;
    }
  }
  const { conclusion } = await spend(heavier);
  expect(conclusion.state).toBe("success");
  expect(github.issues[0]).toMatchObject({
    state: "open",
    title: expect.stringContaining("api RSS after load"),
  });
});

test("stored values of another workload are no watch, and the issue says so", async () => {
  const other = baselineOfDay(1);
  other.config = {
    ...other.config,
    scenarios: other.config.scenarios.map((scenario) => ({ ...scenario, rateRps: 100 })),
  };
  await calendar(other)(nightOn(2));
  expect(github.issues[0]?.body).toContain(
    "no gated metric can be compared with the stored baselines: ",
  );
});
