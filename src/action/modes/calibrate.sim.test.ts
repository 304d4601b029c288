import { join } from "node:path";
import { expect, test } from "vitest";
import { freshForEach, runStep, type Step, workspace } from "../../../test/support/action.ts";
import { makeProfile } from "../../../test/support/calibration.ts";
import { UserError } from "../../core/base/errors.ts";
import type { UseCases } from "../job/use-cases.ts";

freshForEach();

const calibrate = (step: Partial<Step> = {}) =>
  runStep({
    event: "schedule",
    ...step,
    inputs: { mode: "calibrate", ...step.inputs },
  });

const ROUGH = makeProfile({ noise: 0.15, seed: 4 });

test("a runner within its limits: where the profile is and its contents", async () => {
  let asked: number | null = null;
  const { conclusion, runner } = await calibrate({
    inputs: { rounds: "32" },
    useCases: {
      calibrate: async (rounds) => {
        asked = rounds;
        return {
          profile: makeProfile({ noise: 0.03, voidShare: 0 }),
          files: [join(workspace, "baselines/test/_profile.json")],
        };
      },
    },
  });
  expect(asked).toBe(32);
  expect(conclusion.state).toBe("success");
  expect(runner.outputs.profile).toBe(join(workspace, "baselines/test/_profile.json"));
  expect(runner.shown).toContain("What this runner can show");
});

test.each([
  ["fail", "failure"],
  ["pass", "success"],
])("a runner too rough for a limit, inconclusive: %s", async (inconclusive, ends) => {
  const useCases: Partial<UseCases> = { calibrate: async () => ({ profile: ROUGH, files: ["p"] }) };
  const { conclusion } = await calibrate({ inputs: { inconclusive }, useCases });
  expect(conclusion.state).toBe(ends);
  expect(conclusion.headline).toContain("cannot show");
});

test("untrustworthy rounds and a cancelled job have their own conclusions", async () => {
  const failing = (kind: "invalid" | "interrupted"): Partial<UseCases> => ({
    calibrate: async () => {
      throw new UserError("api crashed", {}, kind);
    },
  });
  expect((await calibrate({ useCases: failing("invalid") })).conclusion.state).toBe("failure");
  const { conclusion, runner } = await calibrate({ useCases: failing("interrupted") });
  expect(conclusion.state).toBe("cancelled");
  expect(runner.outputs.profile).toBeUndefined();
});
