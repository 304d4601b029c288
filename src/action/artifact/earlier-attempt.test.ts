// A job's next attempt goes on with what the attempt before handed over, and says what became of
// it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  fakeUseCases,
  freshForEach,
  github,
  RUN_ID,
  runStep,
  type Step,
  sampled,
} from "../../../test/support/action.ts";
import { makeArtifact } from "../../../test/support/artifact.ts";
import type { Project } from "../../app/project/project.ts";
import { ARTIFACT_LIMITS } from "../../core/model/manifest.ts";

freshForEach();

const EARLIER = sampled({ rounds: 7 });

function handedOver(run: { id?: number; attempt?: number } = {}): Uint8Array {
  return makeArtifact(EARLIER, {
    schema: "tailgate.manifest.v1",
    tool: "tailgate 0.0.0-test",
    run: { id: RUN_ID, attempt: 1, ...run },
  });
}

/** How a gate would end that has gone on after so many rounds; null: that has not. */
const measured = (after: number | null) => {
  const samples = sampled();
  if (after === null) return samples;
  return { ...samples, run: { ...samples.run, continuedAfter: [after] } };
};

async function attempt(
  step: Partial<Step> & { after?: number | null },
): Promise<{ said: string; resume: unknown; shown: string; state: string }> {
  const real = fakeUseCases(measured(step.after ?? null));
  let asked: Project | null = null;
  const { conclusion, runner } = await runStep({
    event: "pull-request",
    attempt: 2,
    ...step,
    useCases: {
      gate: (project, environment) => {
        asked = project;
        if (project.resume === "if-it-fits") {
          expect(existsSync(join(project.out, "samples.v1.json"))).toBe(true);
        }
        return real.gate(project, environment);
      },
    },
  });
  const said = runner.lines.filter((line) => /Continued|Measured anew/.test(line)).join("\n");
  return {
    said,
    resume: (asked as Project | null)?.resume,
    shown: runner.shown,
    state: conclusion.state,
  };
}

test("rounds of the previous attempt are continued", async () => {
  github.artifact = handedOver();
  const { said, resume, shown, state } = await attempt({ after: 7 });
  expect(resume).toBe("if-it-fits");
  expect(said).toBe("Continued from attempt 1: 7 rounds.");
  expect(shown).toContain("> Continued from attempt 1: 7 rounds.");
  expect(shown).toContain("in 2 sessions, continued after 7 rounds");
  expect(state).toBe("success");
});

test("a mismatch with the previous attempt is logged", async () => {
  github.artifact = handedOver();
  const { said, resume } = await attempt({ after: null });
  expect(resume).toBe("if-it-fits");
  expect(said).toMatch(/^Measured anew: what attempt 1 measured cannot be gone on with/);
});

test.each<[string, Partial<Step>]>([
  ["a first attempt", { attempt: 1 }],
  ["an attempt that is to measure anew", { inputs: { resume: "off" } }],
])("%s asks for nothing", async (_, step) => {
  github.artifact = handedOver();
  const { said, resume } = await attempt({ ...step, inputs: { comment: "never", ...step.inputs } });
  expect(resume).toBeUndefined();
  expect(said).toBe("");
  expect(github.asked).toEqual([]);
});

test.each<[string, () => void, RegExp]>([
  [
    "without the permission",
    () => {
      github.failing = { operation: "artifactsOf", reason: "permission" };
    },
    /`actions: read` under the job's `permissions:`/,
  ],
  [
    "where GitHub is down",
    () => {
      github.failing = { operation: "downloadArtifact", reason: "unavailable" };
    },
    /could not do downloadArtifact: unavailable/,
  ],
  [
    "without an artifact",
    () => {
      github.artifact = null;
    },
    /no earlier attempt of this run handed over an artifact named tailgate/,
  ],
  [
    "with another run's artifact",
    () => {
      github.artifact = handedOver({ id: 4711 });
    },
    /no earlier attempt of this run/,
  ],
  [
    "with an artifact of this attempt",
    () => {
      github.artifact = handedOver({ attempt: 2 });
    },
    /no earlier attempt of this run/,
  ],
  [
    "with an artifact that is no zip",
    () => {
      github.artifact = new Uint8Array(10);
    },
    /not a zip that can be read/,
  ],
  [
    "with an artifact that is too large",
    () => {
      github.artifact = new Uint8Array(ARTIFACT_LIMITS.zipBytes + 1);
    },
    /at most 16777216 are read/,
  ],
])("%s all is measured anew, which one line says", async (_, prepare, why) => {
  github.artifact = handedOver();
  prepare();
  const { said, resume, shown, state } = await attempt({});
  expect(resume).toBeUndefined();
  expect(said).toMatch(/^Measured anew: .*\.$/);
  expect(said).toMatch(why);
  expect(shown).toContain("Measured anew");
  expect(state).toBe("success");
});

test("a shard continues the previous attempt too", async () => {
  github.artifact = handedOver();
  const real = fakeUseCases(measured(7));
  let resume: unknown;
  const { runner } = await runStep({
    event: "pull-request",
    attempt: 3,
    inputs: { shard: "1/2" },
    useCases: {
      measureOnly: (project, environment) => {
        resume = project.resume;
        return real.measureOnly(project, environment);
      },
    },
  });
  expect(resume).toBe("if-it-fits");
  expect(runner.shown).toContain("> Continued from attempt 1: 7 rounds.");
});
