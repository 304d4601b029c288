// A gate where the machine reaches GitHub through a proxy, or not at all. The load is a fake oha's.
import { expect, onTestFinished, test } from "vitest";
import { startFakeGitHub } from "../fake-github/server.ts";
import type { Project } from "../support/project.ts";
import { startProxy } from "../support/proxy.ts";
import { tinyProject } from "./tiny.ts";

/** Nothing but the proxy knows it. */
const HOST = "github.invalid";
const REPOSITORY = "acme/shop";
const NUMBER = 12;
/** The gate's own seconds, and at most 12 until it is said that GitHub cannot be reached. */
const MOST_MS = 45_000;

async function gate(project: Project, env: Record<string, string>) {
  const [head, base] = [project.git("rev-parse", "HEAD"), project.git("rev-parse", "HEAD^")];
  const repo = { full_name: REPOSITORY };
  const change = {
    title: "A change",
    head: { sha: head, repo },
    base: { sha: base, ref: "main", repo },
  };
  project.write(".git/event.json", JSON.stringify({ number: NUMBER, pull_request: change }));
  for (const file of ["output", "summary"]) project.write(`.git/${file}`, "");
  const begunMs = performance.now();
  const { code, stdout, stderr } = await project.runAction({
    GITHUB_ACTIONS: "true",
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ID: "7",
    GITHUB_WORKSPACE: project.root,
    GITHUB_EVENT_NAME: "pull_request",
    GITHUB_EVENT_PATH: `${project.root}/.git/event.json`,
    GITHUB_OUTPUT: `${project.root}/.git/output`,
    GITHUB_STEP_SUMMARY: `${project.root}/.git/summary`,
    INPUT_TOKEN: "ghs_token",
    INPUT_COMMENT: "always",
    ...env,
  });
  return { code, log: stdout + stderr, tookMs: performance.now() - begunMs };
}

function changed(what: Parameters<typeof tinyProject>[0], readme: string): Project {
  const project = tinyProject(what);
  project.write("README.md", readme);
  project.commit("a change");
  return project;
}

test("a change of the README alone says where GitHub is not reached, and what to set", async () => {
  const env = { GITHUB_API_URL: `https://${HOST}`, INPUT_STATUS: "always" };
  const { code, log, tookMs } = await gate(changed({}, "Better words.\n"), env);
  expect(code, log).toBe(0);
  const failed = `could not say whose token this is in ${REPOSITORY}: https://${HOST} cannot be reached (HTTPS_PROXY is not set)`;
  const next = "If this machine needs a proxy, set HTTPS_PROXY.";
  expect(log).toMatch(
    /^not published: could not say[^\n]*\n {2}ENOTFOUND[^\n]*\n {2}If this machine/m,
  );
  const warning = log.split("\n").filter((line) => line.startsWith("::warning"));
  expect(warning[0]).toContain(failed);
  expect(warning[0]).toContain(next);
  expect(warning[1]).toContain("could not set a commit status");
  // Before anything is measured, too.
  expect(log.indexOf(failed)).toBeLessThan(log.indexOf("unchanged"));
  expect(tookMs).toBeLessThan(MOST_MS);
});

test("a gate publishes through the proxy, and measures past it", async () => {
  const github = await startFakeGitHub({
    seed: {
      repository: REPOSITORY,
      tokens: { ghs_token: { permissions: "write-all" } },
      issues: [{ number: NUMBER, title: "A change" }],
    },
  });
  onTestFinished(() => github.close());
  await using proxy = await startProxy({ port: Number(new URL(github.url).port) });
  const address = `http://${proxy.host}`;
  const names = [
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "all_proxy",
  ];
  const project = changed({ candidate: { api: "good" } }, "Other words.\n");
  const { code, log } = await gate(project, {
    GITHUB_API_URL: `http://${HOST}`,
    "INPUT_MEASURE-UNCHANGED": "true",
    ...Object.fromEntries(names.map((name) => [name, address])),
  });
  expect(code, log).toBe(0);
  expect(log).toContain("PASS: no regression: each of 2 gated metrics");
  expect(github.world.comments.map(({ issue }) => issue)).toEqual([NUMBER]);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${HOST}:80`]));
  expect(proxy.connections()).toBe(proxy.asked.length);
});
