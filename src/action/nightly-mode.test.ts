// Nights one after the other: the issue is opened, brought up to date and closed as they go.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { MeasureOptions } from "../app/settings.ts";
import { UserError } from "../base/errors.ts";
import type { GitHubOperation } from "../github/port.ts";
import type { Report } from "../model/report.ts";
import { FakeGitHub, fakeUseCases, REGRESSED, runStep, type Step, sampled } from "./testing.ts";

let workspace: string;
let github: FakeGitHub;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), "tailgate-action-"));
  github = new FakeGitHub();
});
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

const night = (step: Partial<Step> = {}) =>
  runStep({
    event: "schedule",
    github,
    workspace,
    ...step,
    inputs: { mode: "nightly", ...step.inputs },
  });

const badNight = () => night({ samples: sampled(REGRESSED) });

test("a good night with no issue leaves none", async () => {
  const { conclusion } = await night();
  expect(conclusion.state).toBe("success");
  expect(github.issues).toEqual([]);
});

test("opened, brought up to date, closed, and a new one for a new trouble", async () => {
  const first = await badNight();
  expect(first.conclusion.state).toBe("failure");
  expect(first.runner.outputs.issue).toBe(github.issues[0]?.url);
  await badNight();
  expect(github.issues).toHaveLength(1);
  expect(github.issues[0]).toMatchObject({
    state: "open",
    title: expect.stringMatching(/^Tailgate nightly: REGRESSED/),
    body: expect.stringContaining("What is wrong"),
  });
  const good = await night();
  expect(good.conclusion.state).toBe("success");
  expect(github.issues[0]).toMatchObject({
    state: "closed",
    body: expect.stringContaining("All is right again."),
  });
  await badNight();
  expect(github.issues.map(({ state }) => state)).toEqual(["closed", "open"]);
});

test("a night without a verdict is trouble too", async () => {
  const gate = async () => {
    throw new UserError("api could not be built", { detail: "@everyone <b>", next: "Look." });
  };
  const { conclusion } = await night({ useCases: { gate } });
  expect(conclusion).toEqual({ state: "failure", headline: "api could not be built" });
  expect(github.issues[0]?.title).toContain("no verdict: api could not be built");
  expect(github.issues[0]?.body).toContain("```");
});

test("creep and a baseline that is too old are trouble although the night passed", async () => {
  const real = fakeUseCases(workspace, sampled());
  const { conclusion } = await night({
    useCases: {
      gate: async (...args) => {
        const result = await real.gate(...args);
        const warnings: Report["verdict"]["warnings"] = [
          { kind: "creep", text: "api/echo p99 is +9 % against the stored baseline" },
          { kind: "thin", text: "nothing to worry about" },
        ];
        const verdict = { ...result.report.verdict, warnings };
        return { ...result, report: { ...result.report, verdict } };
      },
    },
  });
  expect(conclusion.state).toBe("success");
  expect(github.issues[0]?.title).toContain("against the stored baseline");
  expect(github.issues[0]?.body).toContain("**What is wrong**\n\n- api/echo p99");
});

test("somebody else's issue with the label is left alone", async () => {
  const other = { number: 1, title: "Slow?", body: "hm", state: "open" as const, url: "u" };
  github.issues.push(other);
  await badNight();
  await night();
  expect(github.issues[0]).toEqual(other);
  expect(github.issues).toHaveLength(2);
});

test("it replays the stored baseline unless told otherwise", async () => {
  const asked: MeasureOptions[] = [];
  const real = fakeUseCases(workspace, sampled());
  const gate: Step["useCases"] = {
    gate: (options, environment) => {
      asked.push(options);
      return real.gate(options, environment);
    },
  };
  await night({ useCases: gate });
  await night({ useCases: gate, inputs: { compare: "stored" } });
  await night({ useCases: gate, inputs: { reference: "v1" } });
  expect(asked.map(({ compare }) => compare)).toEqual(["replay", "stored", "base"]);
});

test("it is not for pull requests, and needs a token", async () => {
  expect((await night({ event: "pull-request" })).conclusion.state).toBe("failure");
  expect((await night({ inputs: { token: "" } })).conclusion.state).toBe("failure");
  expect(github.asked).toEqual([]);
});

test.each<[GitHubOperation, boolean]>([
  ["issues", false],
  ["issues", true],
  ["createIssue", false],
  ["updateIssue", true],
])(
  "GitHub down at %s (issue open: %s): the job fails, as nobody else would hear",
  async (operation, isOpen) => {
    if (isOpen) await badNight();
    github.failing = { operation, reason: "unavailable" };
    const samples = sampled(operation === "updateIssue" ? {} : REGRESSED);
    const { conclusion } = await night({ samples });
    expect(conclusion.state).toBe("failure");
    expect(github.issues.every(({ state }) => state === "open")).toBe(true);
  },
);

test("cancelled: the issue stays as it is", async () => {
  await badNight();
  const abort = new AbortController();
  const real = fakeUseCases(workspace, sampled());
  const gate: Step["useCases"] = {
    gate: (...args) => {
      abort.abort();
      return real.gate(...args);
    },
  };
  const { conclusion } = await night({ abort, useCases: gate });
  expect(conclusion.state).toBe("cancelled");
  expect(github.issues[0]?.state).toBe("open");
});
