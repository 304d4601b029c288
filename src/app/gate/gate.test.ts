// `compare: auto`: when stored values are asked first, what their answer is worth, and what a
// resumed run does. What is refused before anything runs.

import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { makeFolder } from "../../../test/support/files.ts";
import { nightOf, SERIES } from "../../../test/support/history.ts";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY, STEADY_NIGHTS } from "../../../test/support/stored.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { CompareMode } from "../../core/model/config.ts";
import type { Samples } from "../../core/model/samples.ts";
import { writeSamples } from "../documents/samples.ts";
import { silentProgress } from "../progress.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { planGate } from "./gate.ts";
import { afterScreen, type MeasureRequest } from "./measure.ts";
import { canScreen, screenLimits } from "./screen.ts";

let root: string;
beforeEach(() => {
  root = makeFolder();
});

const STORED = [STEADY];
const NOW = makeSamples({ rounds: 0, noise: 0 }).run.startedAt;

interface Situation {
  compare?: CompareMode;
  /** Rather than `compare`, which is configured. */
  asked?: CompareMode;
  reference?: string;
  timeBudgetMs?: number;
  baselines?: readonly Baseline[];
  /** Of the run that is resumed. */
  earlier?: Samples;
  /** What the screen measures: steady values, of these keys times a ratio. */
  screened?: { state?: Samples["run"]["state"]; ratios?: Record<string, number> };
}

/** What was asked of the measurement, in order, and which run is the result. */
async function asked(
  situation: Situation,
): Promise<{ requests: MeasureRequest[]; result: Samples["run"] }> {
  const { compare = "auto", baselines = STORED, earlier } = situation;
  const out = join(root, ".tailgate");
  mkdirSync(out);
  if (earlier !== undefined) writeSamples(join(out, "samples.v1.json"), earlier);
  const config = makeConfig({ compare: situation.asked ?? compare });
  const { timeBudgetMs = config.policy.timeBudgetMs } = situation;
  const project = {
    root,
    out,
    config: { ...config, policy: { ...config.policy, timeBudgetMs } },
    isComparisonAsked: situation.asked !== undefined,
    reference: situation.reference ?? null,
    resume: earlier === undefined ? "never" : "always",
    measureUnchanged: true,
    history: STEADY_NIGHTS,
  } as unknown as Project;
  const requests: MeasureRequest[] = [];
  const environment = { progress: silentProgress, clock: { wallTime: () => NOW } } as Environment;
  const run = (request: MeasureRequest): Samples => {
    requests.push(request);
    const { plan } = request;
    const { state = "complete", ratios } = situation.screened ?? {};
    const measured =
      plan.kind === "answers"
        ? makeSamples({ rounds: 8, noise: 0.02, compare: plan.compare })
        : makeSteadySamples(ratios);
    const samples = { ...measured, run: { ...measured.run, measuredMs: 60_000, state } };
    const next = afterScreen(request, samples, environment);
    return next === null ? samples : run(next);
  };
  const samples = run(await planGate(project, baselines, environment));
  return { requests, result: samples.run };
}

const SLOW = { ratios: { "echo/p99Typical": 1.6, "echo/p99": 1.6 } };

const modes = (requests: readonly MeasureRequest[]): string[] =>
  requests.map(({ plan }) => (plan.kind === "answers" ? plan.compare : plan.kind));

test("a screen that does not pass is followed by the reference, on what is left of the time budget", async () => {
  const { requests } = await asked({ screened: SLOW });
  expect(modes(requests)).toEqual(["screen", "base"]);
  expect(requests[0]?.plan).toMatchObject({ limits: { rounds: 12, timeMs: 300_000 } });
  expect(requests[1]).toMatchObject({ plan: { spentMs: 60_000 }, earlier: null });
});

test("a screen that passes is the run", async () => {
  const { requests, result } = await asked({});
  expect(modes(requests)).toEqual(["screen"]);
  expect(result.compare).toBe("stored");
});

test("a screen that has nothing to compare some metric with is no pass", async () => {
  // Its memory is comparable all the same.
  const fingerprint = { ...STEADY.fingerprint, microcode: "0x9" };
  const { requests } = await asked({ baselines: [{ ...STEADY, fingerprint }] });
  expect(modes(requests)).toEqual(["screen", "base"]);
});

test("a failed or interrupted screen is not retried", async () => {
  for (const state of ["failed", "interrupted"] as const) {
    const { requests, result } = await asked({ screened: { state } });
    expect(modes(requests), state).toEqual(["screen"]);
    expect(result.state).toBe(state);
    rmSync(join(root, ".tailgate"), { recursive: true });
  }
});

test("a screen needs a known drift for every gated value", async () => {
  expect(modes((await asked({ baselines: [] })).requests)).toEqual(["base"]);
  const config = makeConfig();
  const check = (change: Partial<Baseline>, able: boolean, history = STEADY_NIGHTS): void => {
    const stored = { baselines: [{ ...STEADY, ...change }], history, now: NOW };
    expect(canScreen(config, stored)).toBe(able);
  };
  check({}, true);
  check({}, false, []);
  for (const id of SERIES) {
    const known = SERIES.filter((other) => other !== id).map((other) => [other, 302] as const);
    const history = STEADY_NIGHTS.map((_, i) =>
      nightOf({ day: i - 7, anchor: Object.fromEntries(known) }),
    );
    check({}, false, history);
  }
  check({ workloads: { ...STEADY.workloads, echo: "0" } }, false);
  check({ workloads: { ...STEADY.workloads, gone: "0" } }, false);
  check({ service: "other" }, false);
  const nothing = { ...config, policy: { ...config.policy, metrics: [] } };
  const stored = { baselines: STORED, history: STEADY_NIGHTS, now: NOW };
  expect(canScreen(nothing, stored)).toBe(false);
});

test("no screen on a machine that drifts too much for any pass", () => {
  const wandering = (share: number) => ({
    baselines: STORED,
    history: STEADY_NIGHTS.map((_, i) =>
      nightOf({ day: i - 7, anchor: 302 * (1 + share * (i & 1)) }),
    ),
    now: NOW,
  });
  const config = makeConfig();
  expect(canScreen(config, wandering(0.01))).toBe(true);
  // Half of the memory's margin of 5 % is drift, and nights differ by as much.
  expect(canScreen(config, wandering(0.025))).toBe(false);
});

test("a screen has twelve rounds and a third of the time budget", () => {
  expect(screenLimits({ ...makeConfig().policy, timeBudgetMs: 90_000 })).toEqual({
    rounds: 12,
    timeMs: 30_000,
  });
});

test("a reference rules out a screen, and is refused where it would not be used", async () => {
  const reference = "v1";
  expect(modes((await asked({ reference })).requests)).toEqual(["base"]);
  for (const compare of ["stored", "replay"] as const) {
    rmSync(join(root, ".tailgate"), { recursive: true, force: true });
    await expect(asked({ reference, asked: compare })).rejects.toThrow(
      `compare: ${compare} compares with the stored baseline, so the reference v1 would not be used`,
    );
  }
});

test("too short a time budget is refused before anything is written or run", async () => {
  await expect(asked({ timeBudgetMs: 60_000 })).rejects.toThrow(
    "10 rounds, the fewest for a regression, take 1.6 minutes, more than the time budget of 1m",
  );
  expect(readdirSync(join(root, ".tailgate"))).toEqual([]);
});

test("a resumed run compares as it did", async () => {
  const check = async (
    was: Samples["run"]["compare"],
    expected: string[],
    more: Situation = {},
  ) => {
    const earlier = makeSamples({ rounds: 3, noise: 0.02, compare: was, state: "interrupted" });
    const { requests } = await asked({ earlier, ...more });
    expect(modes(requests), was).toEqual(expected);
    rmSync(join(root, ".tailgate"), { recursive: true });
  };
  await check("base", ["base"]);
  await check("replay", ["replay"]);
  await check("stored", ["screen", "base"], { screened: SLOW });
  await check("stored", ["stored"], { compare: "base" });
  await check("base", ["stored"], { asked: "stored" });
});
