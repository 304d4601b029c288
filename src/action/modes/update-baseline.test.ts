import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import {
  type EventFixture,
  freshForEach,
  github,
  runStep,
  type Step,
  sampled,
} from "../../../test/support/action.ts";
import { GitHubError } from "../../github/port.ts";
import type { UseCases } from "../job/use-cases.ts";
import type { BaselineProposal, ProposeRequest } from "../publish/propose-baselines.ts";
import * as proposals from "../publish/propose-baselines.ts";

freshForEach();

const update = (step: Partial<Step> = {}) =>
  runStep({
    event: "schedule",
    ...step,
    inputs: { mode: "update-baseline", ...step.inputs },
  });

/** What becomes of a proposal, which is another test's. */
const proposing = (answer: (request: ProposeRequest) => Promise<BaselineProposal>) => {
  const spy = vi.spyOn(proposals, "proposeBaselines").mockImplementation(answer);
  onTestFinished(() => spy.mockRestore());
};

beforeEach(() => proposing(async () => ({ kind: "none", text: "nothing moved" })));

test("what was measured is proposed as of this very run", async () => {
  let asked: ProposeRequest | null = null;
  proposing(async (request) => {
    asked = request;
    return { kind: "none", text: "" };
  });
  await update();
  expect(asked).toMatchObject({
    repository: "acme/shop",
    workflowRun: 7_164_329_001,
  });
});

test("nothing to update is a success without a pull request", async () => {
  const { conclusion, runner } = await update();
  expect(conclusion).toMatchObject({ state: "success" });
  expect(conclusion.headline).toContain("nothing to update");
  expect(runner.outputs["pull-request"]).toBeUndefined();
});

test("a proposal is named", async () => {
  const pullRequest = await github.client.pullRequest(12);
  proposing(async () => ({
    kind: "proposed",
    branch: "built",
    action: "created",
    pullRequest,
    notes: ["its checks wait"],
  }));
  const { conclusion, runner } = await update();
  expect(conclusion.state).toBe("success");
  expect(runner.outputs["pull-request"]).toBe(pullRequest.url);
  expect(runner.lines).toContain("its checks wait");
});

test("a measurement that cannot become a baseline is a failure that says why", async () => {
  const reasons = ["inconclusive: api rss has 3 launches, 8 are needed", "and more"];
  proposing(async () => ({ kind: "refused", reasons }));
  const { conclusion, runner } = await update();
  expect(conclusion.state).toBe("failure");
  expect(conclusion.headline).toContain("3 launches, 8 are needed");
  expect(runner.shown).toContain("and more");
});

/** Fails the test when anything is built; then nothing is proposed either. */
const untouched: Partial<UseCases> = {
  measureForBaseline: async () => {
    throw new Error("measured");
  },
};

test.each<[EventFixture, string]>([
  ["pull-request", "pull_request"],
  ["pull-request-fork", "pull_request"],
  ["pull-request-fork", "pull_request_target"],
  ["merge-group", "merge_group"],
  ["workflow-run", "workflow_run"],
  ["issue-comment", "issue_comment"],
])("%s as %s is refused before anything is built", async (event, eventName) => {
  const { conclusion, runner } = await update({ event, eventName, useCases: untouched });
  expect(conclusion).toEqual({
    state: "failure",
    headline: `baselines are never updated on ${eventName}`,
  });
  expect(runner.lines.join("\n")).toContain("workflow_dispatch:");
  expect(github.asked).toEqual([]);
});

test.each(["refs/heads/feature", "refs/heads/main2", "refs/tags/main", "refs/pull/12/merge", ""])(
  "a run of %j is refused before anything is built",
  async (ref) => {
    for (const event of ["schedule", "push"] as const) {
      const { conclusion, runner } = await update({ event, ref, useCases: untouched });
      expect(conclusion.state).toBe("failure");
      expect(conclusion.headline).toContain("baselines are of main, and this run is of");
      expect(runner.lines.join("\n")).toContain("if: github.ref == 'refs/heads/main'");
    }
  },
);

test("never without a token", async () => {
  const { conclusion, runner } = await update({ inputs: { token: "" }, useCases: untouched });
  expect(conclusion.state).toBe("failure");
  expect(runner.lines.join("\n")).toContain("pull-requests: write");
});

test("GitHub down while proposing: the job fails", async () => {
  proposing(async () => {
    throw new GitHubError("unavailable", "could not open a pull request");
  });
  const { conclusion } = await update();
  expect(conclusion).toEqual({ state: "failure", headline: "could not open a pull request" });
});

test("cancelled while measuring: nothing is proposed", async () => {
  const abort = new AbortController();
  let proposed = false;
  proposing(async () => {
    proposed = true;
    return { kind: "none", text: "" };
  });
  const { conclusion } = await update({
    abort,
    useCases: {
      measureForBaseline: async () => {
        abort.abort();
        return sampled();
      },
    },
  });
  expect(conclusion.state).toBe("cancelled");
  expect(proposed).toBe(false);
});
