// Nights one after the other: the issue is opened, brought up to date and closed as they go.
import { expect, test } from "vitest";
import {
  fakeUseCases,
  freshForEach,
  github,
  REGRESSED,
  runStep,
  type Step,
  sampled,
  urlOf,
} from "../../../test/support/action.ts";
import { UserError } from "../../core/base/errors.ts";
import type { Report } from "../../core/model/report.ts";
import type { GitHubOperation } from "../../github/port.ts";

freshForEach();

const night = (step: Partial<Step> = {}) =>
  runStep({
    event: "schedule",
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
  expect(first.runner.outputs.issue).toBe(urlOf(github.issues[0]));
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
  const real = fakeUseCases(sampled());
  const { conclusion } = await night({
    useCases: {
      gate: async (...args) => {
        const result = await real.gate(...args);
        const warnings: Report["verdict"]["warnings"] = [
          {
            kind: "creep",
            text: "api/echo p99 is +9 % against the stored baseline",
            caution: { code: "creep", comparison: "api/echo p99 typical" },
          },
          { kind: "build", text: "nothing to worry about", caution: { code: "uncommitted" } },
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
  github.openIssue({ number: 1, title: "Slow?", body: "hm", labels: ["tailgate"] });
  const other = structuredClone(github.issues[0]);
  await badNight();
  await night();
  expect(github.issues[0]).toEqual(other);
  expect(github.issues).toHaveLength(2);
});

test("it replays the stored baseline unless told otherwise", async () => {
  const asked: string[] = [];
  const real = fakeUseCases(sampled());
  const gate: Step["useCases"] = {
    gate: (project, environment) => {
      asked.push(project.config.compare);
      return real.gate(project, environment);
    },
  };
  await night({ useCases: gate });
  await night({ useCases: gate, inputs: { compare: "stored" } });
  await night({ useCases: gate, inputs: { reference: "v1" } });
  expect(asked).toEqual(["replay", "stored", "base"]);
});

test.each<Partial<Step>>([
  { event: "pull-request" },
  { event: "pull-request", eventName: "pull_request_target" },
  { event: "merge-group" },
  { inputs: { token: "" } },
])("it is not for pull requests, and needs a token: %o", async (step) => {
  expect((await night(step)).conclusion.state).toBe("failure");
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

const ended = (result: string, headline = "", verdict = "") => ({
  result,
  outputs: { verdict, headline },
});
const RIGHT = {
  full: ended("success", "PASS: no regression", "pass"),
  canary: ended("success", "the planted regression was found"),
};
/** The job that speaks for the others. */
const speak = (needs: object, step: Partial<Step> = {}) =>
  night({
    useCases: {
      gate: async () => {
        throw new Error("measured");
      },
    },
    ...step,
    inputs: { needs: JSON.stringify(needs), ...step.inputs },
  });

test("jobs that others measured: opened, brought up to date, closed, and nothing is measured here", async () => {
  const worse = ended("failure", "REGRESSED: echo p99 is 12 % worse", "regressed");
  const first = await speak({ ...RIGHT, full: worse });
  expect(first.conclusion).toEqual({ state: "success", headline: "full went wrong" });
  expect(github.issues).toMatchObject([
    { state: "open", title: "Tailgate nightly: full went wrong" },
  ]);
  expect(github.issues[0]?.body).toContain("- full: REGRESSED: echo p99 is 12 % worse");
  expect(github.issues[0]?.body).toContain(
    "| `full` | `failure` | `regressed` | `REGRESSED: echo p99 is 12 % worse` |",
  );
  await speak({ full: worse, canary: ended("skipped") });
  expect(github.issues).toMatchObject([{ title: "Tailgate nightly: full, canary went wrong" }]);
  expect(github.issues[0]?.body).toContain("- canary: skipped");
  const last = await speak(RIGHT);
  expect(last.conclusion.headline).toBe("all jobs went well");
  expect(github.issues).toMatchObject([{ state: "closed" }]);
  expect(github.issues[0]?.body).toContain("All is right again.");
});

test("a quiet night writes nothing", async () => {
  await speak(RIGHT);
  expect(github.asked).toEqual(["issues"]);
});

test("what a job says of itself stays in its cell", async () => {
  const hostile = "`@everyone` | <img src=x>\n\n# heading \u202e";
  await speak({ full: ended("failure", hostile) });
  const rows = github.issues[0]?.body.split("\n").filter((line) => line.startsWith("| "));
  expect(rows).toHaveLength(2);
  expect(github.issues[0]?.body).not.toMatch(/^# |\u202e/m);
  expect(github.issues[0]?.body.replaceAll(/`[^`\n]*`|``.*?``/g, "")).not.toContain("@everyone");
});

test("a token that may not write fails the job that speaks", async () => {
  github.isReadOnly = true;
  const { conclusion } = await speak({ full: ended("failure") });
  expect(conclusion.state).toBe("failure");
  expect(conclusion.headline).toContain("full went wrong, but");
});

test("cancelled: the issue stays as it is", async () => {
  await badNight();
  const abort = new AbortController();
  const real = fakeUseCases(sampled());
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
