// The script that speaks for the night, against a fake GitHub: one issue, opened, brought up to date, closed. Needs curl and jq,
// as the hosted runners have them.
import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startFakeGitHub } from "../fake-github/server.ts";

const SCRIPT = resolve(import.meta.dirname, "../../.github/nightly-issue");
const LABEL = "tailgate-nightly";

const job = (result: string, verdict: string, headline: string) => ({
  result,
  outputs: { verdict, headline },
});
const RIGHT = {
  full: job("success", "pass", "no regression"),
  "self-test": job("success", "inconclusive", "too noisy a night"),
  canary: job("success", "regressed", "hello/hello p99 is 900 % worse"),
};

async function world(permission: "read" | "write" = "write") {
  const github = await startFakeGitHub({
    seed: {
      tokens: { token: { permissions: { contents: "read", issues: permission } } },
      issues: [{ number: 3, title: "Something else", labels: ["bug"] }],
    },
  });
  onTestFinished(() => github.close());
  const night = (needs: object) =>
    promisify(execFile)(SCRIPT, {
      env: {
        PATH: process.env.PATH,
        NEEDS: JSON.stringify(needs),
        TOKEN: "token",
        RUN: "https://github.com/acme/app/actions/runs/7",
        GITHUB_API_URL: github.url,
        GITHUB_REPOSITORY: "acme/app",
      },
    });
  const issue = () => github.world.issues.filter(({ labels }) => labels.includes(LABEL));
  return { github, night, issue };
}

test("the issue is opened when something is wrong, kept up to date, and closed when all is right", async () => {
  const { github, night, issue } = await world();
  await night({ ...RIGHT, full: job("failure", "regressed", "echo p99 is 12 % worse") });
  expect(issue()).toMatchObject([{ state: "open", title: "Nightly measurement: full" }]);
  expect(issue()[0]?.body).toContain("| full | failure | `regressed` | `echo p99 is 12 % worse` |");
  expect(issue()[0]?.body).toContain("https://github.com/acme/app/actions/runs/7");

  issue()[0]?.labels.push("seen");
  await night({
    ...RIGHT,
    full: job("failure", "regressed", "echo p99 is 12 % worse"),
    canary: job("failure", "pass", "no regression"),
  });
  expect(issue()).toMatchObject([
    { state: "open", title: "Nightly measurement: full, canary", labels: [LABEL, "seen"] },
  ]);

  await night(RIGHT);
  expect(issue()).toMatchObject([{ state: "closed" }]);
  expect(issue()[0]?.body).toMatch(/^All is right again\.\n\n\| job/);
  expect(github.problems()).toEqual([]);
});

test("a quiet night writes nothing", async () => {
  const { github, night } = await world();
  await night(RIGHT);
  expect(github.log.filter(({ method }) => method !== "GET")).toEqual([]);
});

test("after an issue was closed the next one is a new one", async () => {
  const { night, issue } = await world();
  const wrong = { ...RIGHT, full: job("failure", "invalid", "the machine is busy") };
  await night(wrong);
  await night(RIGHT);
  await night(wrong);
  expect(issue().map(({ state }) => state)).toEqual(["closed", "open"]);
});

test("what a job says cannot leave its code span", async () => {
  const { night, issue } = await world();
  const hostile = "`@everyone` | <img src=x>\n\n# heading \u202e";
  await night({ ...RIGHT, full: { result: "failure", outputs: { headline: hostile } } });
  const row = issue()[0]
    ?.body.split("\n")
    .find((line) => line.startsWith("| full"));
  expect(row).toBe("| full | failure | `none` | ` @everyone    <img src=x>  # heading  ` |");
});

test("a job that was skipped or cancelled is told", async () => {
  const { night, issue } = await world();
  await night({ ...RIGHT, canary: { result: "skipped", outputs: {} } });
  expect(issue()).toMatchObject([{ title: "Nightly measurement: canary" }]);
});

test("a token that may not write fails the job", async () => {
  const { night } = await world("read");
  const wrong = { ...RIGHT, full: job("failure", "regressed", "worse") };
  await expect(night(wrong)).rejects.toMatchObject({ stderr: expect.stringContaining("403") });
});
