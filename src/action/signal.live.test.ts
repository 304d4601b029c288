// The action as a runner starts and stops it: a real process, real git, a real build, and SIGTERM
// wherever it may be waiting. What it leaves is a truthful end, and no process.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "vitest";
import { startFakeGitHub } from "../../test/fake-github/server.ts";
import { REPOSITORY } from "../../test/support/action.ts";
import { Project, processesMentioning } from "../../test/support/project.ts";

const ENTRY = resolve(import.meta.dirname, "../entry/action.ts");
/** The runner kills a cancelled step 10 seconds after its first signal. */
const GRACE_MS = 10_000;

interface Stage {
  name: string;
  /** The service in the configuration; `mark` is a file to be made when it has come so far. */
  service(mark: string): string;
  inputs: Record<string, string>;
  event: string;
  payload?: object;
}

const sleeping = (): string =>
  '{ run: ["sleep", "61"], env: { PORT: "{port}" }, ready: { tcp: true } }';
const marking = (mark: string): string => `[sh, -c, "touch ${mark}; exec sleep 61"]`;

const ON_THE_MACHINE: readonly Stage[] = [
  {
    name: "while a build hangs",
    service: (mark) =>
      `{ build: ${marking(mark)}, run: ["true"], env: { PORT: "{port}" }, ready: { tcp: true } }`,
    inputs: { reference: "HEAD", "measure-unchanged": "true" },
    event: "push",
  },
  {
    // Or for another gate on the machine, where one is measuring.
    name: "while it waits for a service",
    service: (mark) => `{ run: ${marking(mark)}, env: { PORT: "{port}" }, ready: { tcp: true } }`,
    inputs: { reference: "HEAD", "measure-unchanged": "true" },
    event: "push",
  },
];
const ON_GITHUB: readonly Stage[] = [
  {
    name: "while GitHub does not answer a report",
    service: sleeping,
    inputs: { mode: "report" },
    event: "workflow_run",
    payload: { workflow_run: { id: 7, head_sha: "1".repeat(40) } },
  },
  {
    name: "while GitHub does not answer an update of the baselines",
    service: sleeping,
    inputs: { mode: "update-baseline" },
    event: "schedule",
  },
  {
    name: "while GitHub does not answer the night",
    service: sleeping,
    inputs: { mode: "nightly", needs: '{"full":{"result":"failure","outputs":{}}}' },
    event: "schedule",
  },
];

// One gate at a time measures on a machine; nobody waits for those who wait for GitHub.
test.for(ON_THE_MACHINE)("SIGTERM $name", cancel);
test.concurrent.for(ON_GITHUB)("SIGTERM $name", cancel);

async function cancel(stage: Stage, { expect, onTestFinished }: TestContext): Promise<void> {
  const project = new Project([]);
  onTestFinished(() => project.remove());
  const runner = join(project.root, ".git/runner");
  const mark = join(runner, "mark");
  project.write(
    "tailgate.yml",
    `version: 1\nservices:\n  api: ${stage.service(mark)}\nscenarios:\n  home: { request: GET /, rate: 100/s }\n`,
  );
  project.commit("a service");
  mkdirSync(runner);
  const place = (name: string, text: string, mode = 0o644): string => {
    writeFileSync(join(runner, name), text, { mode });
    return join(runner, name);
  };
  // Asked for its version, and never for more: none of these stages comes to any load.
  place("oha", "#!/bin/sh\necho oha 1.14.0\n", 0o755);
  const github = await startFakeGitHub({
    seed: {
      repository: REPOSITORY,
      tokens: { ghs_token: { permissions: "write-all" } },
      faults: [{ skip: 0, times: null, do: { kind: "delay", ms: 20_000 } }],
    },
  });
  onTestFinished(() => github.close());

  const output = place("output", "");
  const summary = place("summary", "");
  const child = spawn(process.execPath, [ENTRY], {
    cwd: project.root,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${runner}:${process.env.PATH ?? ""}`,
      HOME: runner,
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_RUN_ID: "7",
      GITHUB_REF: "refs/heads/main",
      GITHUB_WORKSPACE: project.root,
      GITHUB_EVENT_NAME: stage.event,
      GITHUB_EVENT_PATH: place("event.json", JSON.stringify(stage.payload ?? pushed(project))),
      GITHUB_API_URL: github.url,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      ...Object.fromEntries(
        Object.entries({ token: "ghs_token", ...stage.inputs }).map(([name, value]) => [
          `INPUT_${name.toUpperCase()}`,
          value,
        ]),
      ),
    },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let log = "";
  const take = (chunk: string): void => {
    log += chunk;
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const ended = new Promise<number | null>((done) => child.on("close", (code) => done(code)));

  const hasCome = (): boolean =>
    github.log.length > 0 || existsSync(mark) || log.includes("waiting for another gate");
  await expect.poll(() => hasCome() || log, { timeout: 60_000 }).toBe(true);
  const signalledMs = performance.now();
  child.kill("SIGTERM");
  expect(await ended, log).toBe(1);
  expect(performance.now() - signalledMs).toBeLessThan(GRACE_MS);
  expect(readFileSync(output, "utf8"), log).toMatch(/verdict<<(\S+)\ncancelled\n\1/);
  expect(readFileSync(summary, "utf8")).toContain("CANCELLED");
  expect(log).toContain("::error title=Tailgate::CANCELLED");
  expect([...github.world.comments, ...github.world.statuses, ...github.world.issues]).toEqual([]);
  expect(processesMentioning(project.root)).toEqual([]);
}

function pushed(project: Project): object {
  const head = project.git("rev-parse", "HEAD");
  return { before: head, after: head, ref: "refs/heads/main" };
}
