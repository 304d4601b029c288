import { describe, expect, test } from "vitest";
import type { Profile } from "../../src/core/model/profile.ts";
import { makeProfile } from "../../test/support/calibration.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { advice, renderCalibration } from "./calibration.ts";

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
  const text = renderCalibration(profile, { width, color: "never" });
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
});
