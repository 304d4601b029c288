import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { identicalArms } from "../../test/support/calibration.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { calibrateFrom } from "../app/calibration/calibrate.ts";
import { UserError } from "../core/base/errors.ts";
import { ProfileSchema } from "../core/model/profile.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = sharedFolder();

const options = (...words: string[]) => parseCommandLine(["calibrate", ...words]).flags;

describe("what is typed", () => {
  test("defaults", () => {
    expect(options()).toMatchObject({ rounds: null, from: null });
  });

  test("numbers", () => {
    expect(options("--rounds", "40")).toMatchObject({ rounds: 40 });
  });

  const wrong: [string[], string][] = [
    [["--rounds", "7"], "from 8 to 500"],
    [["--rounds", "1e1"], "from 8 to 500"],
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
  const environment = makeEnvironment(folder);
  const asked = { samples: "aa.json", seed: null, out: null };
  writeFileSync(join(folder, "aa.json"), JSON.stringify(identicalArms({ noise: 0.02 })));

  // Two tests: a worker that computes for a minute without a break does not answer Vitest in time.
  test("writes a profile where it is told to", () => {
    const kept = calibrateFrom({ ...asked, out: "kept" }, environment);
    expect(kept.files).toEqual([join(folder, "kept", "profile.v1.json")]);
    const text = readFileSync(kept.files[0] ?? "", "utf8");
    expect(ProfileSchema.parse(JSON.parse(text))).toEqual(kept.profile);
  });

  test("writes nothing where it is told no place", () => {
    expect(calibrateFrom(asked, environment).files).toEqual([]);
  });

  test("a run that was stopped, or cannot be trusted, calibrates nothing", () => {
    const stopped = identicalArms({ state: "interrupted" });
    writeFileSync(join(folder, "stopped.json"), JSON.stringify(stopped));
    const broken = identicalArms({ saturated: "both" });
    writeFileSync(join(folder, "broken.json"), JSON.stringify(broken));
    const from = (samples: string) => () => calibrateFrom({ ...asked, samples }, environment);
    expect(from("stopped.json")).toThrow("nothing was calibrated");
    expect(from("broken.json")).toThrow(
      expect.objectContaining({ kind: "invalid", message: expect.stringContaining("beyond what") }),
    );
  });
});
