// GitHub fails, or the job is cancelled, at every single call that a mode makes: once, or from
// there on. Whatever was said until then is true, the job ends as what it is, and nothing is
// pending.
import { describe, expect, test } from "vitest";
import {
  FakeGitHub,
  freshForEach,
  MERGE,
  REGRESSED,
  REPOSITORY,
  runStep,
  type Step,
  sampled,
} from "../../../test/support/action.ts";
import { makeArtifact } from "../../../test/support/artifact.ts";
import type { Samples } from "../../core/model/samples.ts";
import { GitHubError, type GitHubFailure } from "../../github/port.ts";

freshForEach();

/**
 * A mode as it writes most, each time about a regression: what looks like a pass afterwards is a
 * lie.
 */
interface Scene {
  name: string;
  step: Omit<Step, "workspace" | "github">;
  github(): FakeGitHub;
  /** Whether the conclusion is the verdict's, whatever became of telling others of it. */
  isVerdict: boolean;
  /** How it ends when nothing fails. */
  ends: "success" | "failure";
}

const slow = sampled(REGRESSED);

/** A run of the default branch that can become a baseline. */
function baselineSamples(): Samples {
  const samples = sampled({ compare: "stored" });
  return { ...samples, sources: { ...samples.sources, reference: null } };
}

function withOpenIssue(): FakeGitHub {
  const github = new FakeGitHub();
  github.openIssue({
    number: 1,
    title: "Tailgate nightly: REGRESSED",
    body: "<!-- tailgate:nightly key=default -->",
    labels: ["tailgate"],
  });
  return github;
}

function withRun(change: Partial<FakeGitHub["run"]>, artifact: Uint8Array | null): FakeGitHub {
  const github = new FakeGitHub();
  github.artifact = artifact;
  Object.assign(github.run, change);
  return github;
}

const needs = JSON.stringify({ full: { result: "failure", outputs: {} } });

const SCENES: readonly Scene[] = [
  {
    name: "gate",
    step: { event: "pull-request", samples: slow, inputs: { status: "always" } },
    github: () => new FakeGitHub(),
    isVerdict: true,
    ends: "failure",
  },
  {
    name: "report",
    step: { event: "workflow-run", inputs: { mode: "report" } },
    github: () => withRun({ conclusion: "failure" }, makeArtifact(slow)),
    isVerdict: false,
    ends: "success",
  },
  {
    name: "report of a cancelled run",
    step: { event: "workflow-run", inputs: { mode: "report" } },
    github: () => withRun({ conclusion: "cancelled" }, null),
    isVerdict: false,
    ends: "success",
  },
  {
    name: "nightly",
    step: { event: "schedule", samples: slow, inputs: { mode: "nightly" } },
    github: () => new FakeGitHub(),
    isVerdict: false,
    ends: "failure",
  },
  {
    name: "nightly with an issue open",
    step: { event: "schedule", samples: slow, inputs: { mode: "nightly" } },
    github: withOpenIssue,
    isVerdict: false,
    ends: "failure",
  },
  {
    name: "nightly for other jobs",
    step: { event: "schedule", inputs: { mode: "nightly", needs } },
    github: () => new FakeGitHub(),
    isVerdict: false,
    ends: "success",
  },
  {
    name: "update-baseline",
    step: {
      event: "schedule",
      inputs: { mode: "update-baseline" },
      useCases: { measureForBaseline: async () => baselineSamples() },
    },
    github: () =>
      withRun(
        { event: "schedule", headSha: MERGE, headBranch: "main", headRepository: REPOSITORY },
        null,
      ),
    isVerdict: false,
    ends: "success",
  },
];

/** In order, what each call of an undisturbed run asks for. */
async function calls(scene: Scene): Promise<number> {
  const github = scene.github();
  const { conclusion } = await runStep({ ...scene.step, github });
  expect(conclusion.state, conclusion.headline).toBe(scene.ends);
  return github.asked.length;
}

/** What stands on GitHub now, whoever reads it and whenever. */
function expectTruth(github: FakeGitHub): void {
  for (const { state } of github.statuses) expect(["failure", "error"]).toContain(state);
  for (const { body } of github.comments) expect(body).toMatch(/REGRESSED|CANCELLED/);
  for (const { state } of github.issues) expect(state).toBe("open");
  // A proposal is of a branch that is there.
  for (const { head } of github.proposals) expect(github.branch(head.ref)).not.toBeNull();
}

interface Outage {
  /** From 1: the call that fails. */
  call: number;
  reason: GitHubFailure;
  /** Whether every later call fails too. */
  forGood: boolean;
}

const FAILURES: readonly GitHubFailure[] = [
  "unavailable",
  "rate-limited",
  "permission",
  "not-found",
  "conflict",
  "invalid",
];

/** All at night; by day two, others at the next call. */
function reasonsAt(call: number): readonly GitHubFailure[] {
  const isNight = process.env.TAILGATE_NIGHT === "1";
  return FAILURES.filter((_, i) => isNight || i % 3 === call % 3);
}

describe.each(SCENES)("$name", (scene) => {
  async function failAt({ call, reason, forGood }: Outage): Promise<void> {
    const github = scene.github();
    const failed: string[] = [];
    github.onAsk = (operation) => {
      const now = github.asked.length;
      if (now !== call && !(forGood && now > call)) return;
      failed.push(operation);
      throw new GitHubError(reason, `could not do ${operation}: ${reason}`);
    };
    const { conclusion, runner } = await runStep({ ...scene.step, github });
    const what = `call ${call}, ${failed[0]}, ${reason}, ${forGood ? "for good" : "once"}`;
    expect(runner.outputs.verdict ?? "", what).not.toMatch(/pass|improved/);
    // GitHub works, and the artifact is gone: that is what the pull request is told.
    if (reason === "not-found" && failed.join() === "downloadArtifact") {
      expect(conclusion.state, what).toBe("success");
      expect(github.comments.map(({ body }) => body)).toEqual([
        expect.stringContaining("RESULT EXPIRED"),
      ]);
      return;
    }
    expect(conclusion.state, what).toBe("failure");
    expectTruth(github);
    if (scene.isVerdict) expect(runner.outputs.verdict, what).toBe("regressed");
    expect(
      runner.annotations.some(({ level }) => level === "error"),
      what,
    ).toBe(true);
  }

  test("GitHub fails at any call, for that call or for good", async () => {
    const total = await calls(scene);
    expect(total).toBeGreaterThan(0);
    for (let call = 1; call <= total; call++) {
      for (const reason of reasonsAt(call)) {
        for (const forGood of [false, true]) await failAt({ call, reason, forGood });
      }
    }
  });

  test("cancelled at any call", async () => {
    const total = await calls(scene);
    for (let call = 1; call <= total; call++) {
      const abort = new AbortController();
      const github = scene.github();
      github.onAsk = () => {
        if (github.asked.length === call) abort.abort();
      };
      const { conclusion, runner } = await runStep({ ...scene.step, github, abort });
      expect(conclusion.state, `call ${call}`).toBe("cancelled");
      expect(runner.outputs).toMatchObject({ verdict: "cancelled", artifact: "" });
      expectTruth(github);
    }
  });

  test("a token that may read only", async () => {
    const github = scene.github();
    github.isReadOnly = true;
    const { conclusion } = await runStep({ ...scene.step, github });
    expect(conclusion.state).toBe("failure");
    expect([...github.comments, ...github.statuses, ...github.proposals]).toEqual([]);
  });

  test("no token", async () => {
    const github = scene.github();
    const inputs = { ...scene.step.inputs, token: "" };
    const { conclusion } = await runStep({ ...scene.step, inputs, github });
    expect(conclusion.state).toBe("failure");
    expect(github.asked).toEqual([]);
  });
});
