import { describe, expect, test } from "vitest";
import { makeProfile } from "../../../../test/support/calibration.ts";
import { checkGolden } from "../../../../test/support/golden.ts";
import type { Profile } from "../../model/profile.ts";
import { advice, renderCalibrationTerminal } from "./terminal.ts";

const quiet = makeProfile({ noise: 0.03, voidShare: 0.04 });
const rough = makeProfile({ noise: 0.15, seed: 4, absoluteFloorUs: 400 });
const hostile: Profile = {
  ...quiet,
  runnerClass: "\u001b[31mred\u001b[0m",
  metrics: quiet.metrics.map((metric) => ({ ...metric, id: `${metric.id}\n\u0007` })),
};

const cases: [string, Profile, number][] = [
  ["quiet.120.txt", quiet, 120],
  ["quiet.80.txt", quiet, 80],
  ["rough.100.txt", rough, 100],
  ["hostile.100.txt", hostile, 100],
];
test.each(cases)("%s", async (name, profile, width) => {
  const text = renderCalibrationTerminal(profile, { width, color: "never" });
  await checkGolden(`calibration/${name}`, text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
  for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(width);
});

describe("advice", () => {
  test("a time budget is named first, where it stands in the way", () => {
    const short = (profile: Profile): Profile => ({
      ...profile,
      gate: { ...profile.gate, roomForRounds: 28 },
    });
    expect(advice(short(rough))[0]).toContain("room for 28 rounds of everything");
    expect(advice(short(quiet)).join()).not.toContain("room for");
  });

  test("a limit that cannot be shown comes with what can", () => {
    expect(advice(rough)[1]).toMatch(/A change of \d+ % in .* is detected in .* Set margin to \d+/);
  });

  test("a floor above the margin is named", () => {
    expect(advice(rough).join("\n")).toContain("because of the absolute floor");
  });

  test("a bias that its interval does not leave open is named, and only then", () => {
    const [first, ...rest] = quiet.metrics;
    if (first === undefined) throw new Error("the profile has metrics");
    const biased = { ...first, bias: { estimate: 0.04, low: 0.01, high: 0.07 } };
    expect(advice({ ...quiet, metrics: [biased, ...rest] }).join()).toContain("leaves 0 out");
    const open = { ...first, bias: { estimate: 0.04, low: null, high: null } };
    expect(advice({ ...quiet, metrics: [open] }).join()).not.toContain("leaves 0 out");
  });

  test.each([
    [120, 80, "in 1.3 min instead of 2.0 min"],
    [null, 80, "in 1.3 min instead of never"],
    [120, 100, null],
    [60, 40, null],
    [120, null, null],
  ])("passing after %s s, or with fewer pairs after %s s: %s", (now, soonest, said) => {
    const passMs = (s: number | null) => (s === null ? null : 1000 * s);
    const plans = quiet.slicePlans.map((plan) => ({
      ...plan,
      now: { ...plan.now, passMs: passMs(now) },
      soonest: { ...plan.soonest, passMs: passMs(soonest) },
    }));
    const lines = advice({ ...quiet, slicePlans: plans }).join("\n");
    expect(/would pass (.*)\./.exec(lines)?.[1] ?? null).toBe(said);
  });

  test("of several lengths of slices the one with the least variance per second is named", () => {
    const [plan] = quiet.slicePlans;
    if (plan === undefined) throw new Error("the profile has a plan of slices");
    const rival = { ...plan, scenario: "api/echo~250ms", durationMs: 250, varianceSeconds: 9 };
    const both = [
      { ...plan, alternatives: [rival.scenario] },
      { ...rival, alternatives: [plan.scenario] },
    ];
    const lines = advice({ ...quiet, slicePlans: both }).filter((line) =>
      line.includes("least variance"),
    );
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("Slices of 500 ms of api/echo had the least variance");
  });
});
