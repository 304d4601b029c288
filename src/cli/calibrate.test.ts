import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { identicalArms } from "../../test/support/calibration.ts";
import { NOTHING_TYPED } from "../../test/support/measure-options.ts";
import { calibrate } from "../app/calibrate.ts";
import { silentProgress } from "../app/progress.ts";
import type { Environment } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import { ProfileSchema } from "../model/profile.ts";
import { systemClock } from "../sys/clock.ts";
import { calibrateOptions } from "./calibrate.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "tailgate-calibrate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = (...words: string[]) =>
  calibrateOptions(parseCommandLine(["calibrate", ...words]), NOTHING_TYPED);

describe("what is typed", () => {
  test("defaults", () => {
    expect(options()).toMatchObject({ rounds: 16, sliceMs: [], from: null });
  });

  test("numbers and lengths", () => {
    expect(options("--rounds", "40", "--slices", "250ms, 1s")).toMatchObject({
      rounds: 40,
      sliceMs: [250, 1000],
    });
  });

  const wrong: [string[], string][] = [
    [["--rounds", "7"], "from 8 to 500"],
    [["--rounds", "1e1"], "from 8 to 500"],
    [["--slices", "1"], "such as 250ms,1s"],
    [["--slices", "10ms"], "from 50ms"],
    [["--from", "a.json", "--rounds", "9"], "--rounds can have no effect"],
    [["--from", "a.json", "--time-budget", "9m"], "--time-budget can have no effect"],
    [["--from", ""], "--from is empty"],
  ];
  test.each(wrong)("%j is refused", (words, message) => {
    expect(() => options(...words)).toThrow(UserError);
    expect(() => options(...words)).toThrow(message);
  });
});

describe("from a file", () => {
  const environment: Environment = {
    version: "test",
    workingFolder: folder,
    env: {},
    cache: folder,
    clock: systemClock,
    progress: silentProgress,
    abort: new AbortController().signal,
  };
  writeFileSync(join(folder, "aa.json"), JSON.stringify(identicalArms({ noise: 0.02 })));

  test("writes a profile only where it is told to", async () => {
    const kept = await calibrate({ ...options("--from", "aa.json"), out: "kept" }, environment);
    expect(kept.files).toEqual([join(folder, "kept", "profile.v1.json")]);
    const text = readFileSync(kept.files[0] ?? "", "utf8");
    expect(ProfileSchema.parse(JSON.parse(text))).toEqual(kept.profile);
    const shown = await calibrate(options("--from", "aa.json"), environment);
    expect(shown).toEqual({ profile: kept.profile, files: [] });
  });

  test("a run that was stopped, or cannot be trusted, calibrates nothing", async () => {
    const stopped = identicalArms({ state: "interrupted" });
    writeFileSync(join(folder, "stopped.json"), JSON.stringify(stopped));
    const broken = identicalArms({ voidShare: 0.6 });
    writeFileSync(join(folder, "broken.json"), JSON.stringify(broken));
    await expect(calibrate(options("--from", "stopped.json"), environment)).rejects.toThrow(
      "nothing was calibrated",
    );
    await expect(calibrate(options("--from", "broken.json"), environment)).rejects.toMatchObject({
      kind: "invalid",
      message: expect.stringContaining("void"),
    });
  });
});
