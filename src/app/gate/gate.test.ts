// `compare: auto`: when stored values are asked first, what their answer is worth, and what a
// resumed run does.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recorded } from "../../../test/support/baseline-update-cases.ts";
import { makeConfig, makeSamples } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY } from "../../../test/support/stored.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { CompareMode } from "../../core/model/config.ts";
import type { Samples } from "../../core/model/samples.ts";
import { writeSamples } from "../documents/samples.ts";
import { silentProgress } from "../progress.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { measureAs } from "./gate.ts";
import type { MeasureRequest } from "./measure.ts";
import { canScreen, screenLimits } from "./screen.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tailgate-gate-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const STORED = [recorded(8)];

interface Situation {
  compare?: CompareMode;
  /** Rather than `compare`, which is configured. */
  asked?: CompareMode;
  reference?: string;
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
  const project = {
    root,
    out,
    config: makeConfig({ compare: situation.asked ?? compare }),
    isComparisonAsked: situation.asked !== undefined,
    reference: situation.reference ?? null,
    resume: earlier === undefined ? "never" : "always",
    measureUnchanged: true,
  } as Project;
  const requests: MeasureRequest[] = [];
  const { samples } = await measureAs(
    project,
    baselines,
    { progress: silentProgress } as Environment,
    async function run(request): Promise<Samples> {
      requests.push(request);
      const { state = "complete", ratios } = situation.screened ?? {};
      const measured =
        request.screen === undefined
          ? makeSamples({ rounds: 8, noise: 0.02, compare: request.compare })
          : makeSteadySamples(ratios);
      const samples = { ...measured, run: { ...measured.run, measuredMs: 60_000, state } };
      const next = request.next?.(samples) ?? null;
      return next === null ? samples : await run(next);
    },
  );
  return { requests, result: samples.run };
}

const modes = (requests: readonly MeasureRequest[]): string[] =>
  requests.map(({ compare, screen }) => (screen === undefined ? compare : `screen ${compare}`));

test("a screen that does not pass is followed by the reference, on what is left of the time budget", async () => {
  const { requests } = await asked({});
  expect(modes(requests)).toEqual(["screen stored", "base"]);
  expect(requests[0]?.screen).toEqual({ rounds: 12, timeMs: 300_000 });
  expect(requests[1]).toMatchObject({ spentMs: 60_000, earlier: null });
});

test("a screen that passes is the run", async () => {
  const { requests, result } = await asked({ baselines: [STEADY], screened: {} });
  expect(modes(requests)).toEqual(["screen stored"]);
  expect(result.compare).toBe("stored");
  const slow = { ratios: { "echo/p99Typical": 1.6, "echo/p99": 1.6 } };
  rmSync(join(root, ".tailgate"), { recursive: true });
  const slower = await asked({ baselines: [STEADY], screened: slow });
  expect(modes(slower.requests)).toEqual(["screen stored", "base"]);
});

test("a screen that failed or was stopped is not measured again until it works", async () => {
  for (const state of ["failed", "interrupted"] as const) {
    const { requests, result } = await asked({ screened: { state } });
    expect(modes(requests), state).toEqual(["screen stored"]);
    expect(result.state).toBe(state);
    rmSync(join(root, ".tailgate"), { recursive: true });
  }
});

test("without a known drift of every gated value there is no screen", async () => {
  expect(modes((await asked({ baselines: [] })).requests)).toEqual(["base"]);
  const [baseline] = STORED;
  if (baseline === undefined) throw new Error("no baseline");
  const config = makeConfig();
  const check = (changed: Partial<Baseline>, able: boolean): void => {
    expect(canScreen(config, [{ ...baseline, ...changed }])).toBe(able);
  };
  check({}, true);
  for (const key of Object.keys(baseline.metrics)) {
    const history = baseline.history.map((entry) => ({
      ...entry,
      medians: Object.fromEntries(Object.entries(entry.medians).filter(([name]) => name !== key)),
    }));
    check({ history }, false);
  }
  check({ workloads: { ...baseline.workloads, echo: "0" } }, false);
  check({ workloads: { ...baseline.workloads, gone: "0" } }, false);
  check({ service: "other" }, false);
  expect(canScreen({ ...config, policy: { ...config.policy, metrics: [] } }, STORED)).toBe(false);
});

test("twelve rounds and a third of the time", () => {
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
  await check("stored", ["screen stored", "base"]);
  await check("stored", ["stored"], { compare: "base" });
  await check("base", ["stored"], { asked: "stored" });
});
