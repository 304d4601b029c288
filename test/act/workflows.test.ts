// Our workflows and the examples for other repositories: well-formed, pinned, bounded, and in
// agreement with the action's inputs and outputs. Starts actionlint and zizmor where they are
// installed; what they do not look at is checked here.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { parse } from "yaml";
import {
  INPUTS,
  type InputName,
  MODE_PERMISSIONS,
  type Mode,
  OUTPUTS,
  type OutputName,
} from "../../src/action/inputs/contract.ts";
import { makeFolder } from "../support/files.ts";

interface Step {
  name?: string;
  id?: string;
  uses?: string;
  with?: Record<string, unknown>;
}
interface Job {
  "runs-on": string | string[] | { group: string; labels: string[] };
  permissions?: Record<string, string>;
  "timeout-minutes"?: number;
  steps: Step[];
}
interface Workflow {
  on: string | Record<string, unknown>;
  permissions: object;
  concurrency?: object;
  jobs: Record<string, Job>;
}

const ROOT = resolve(import.meta.dirname, "../..");
const OURS = yamlFiles(".github/workflows");
const EXAMPLES = yamlFiles("docs/examples");
/** How the examples name the action, and how this repository does. */
const ACTION = /^(\.\/|tailgate\/tailgate@[0-9a-f]{40})$/;
/** Whose actions are used. */
const OTHERS =
  /^(actions\/[\w-]+|github\/codeql-action\/[\w-]+|ossf\/scorecard-action)@[0-9a-f]{40}$/;

function yamlFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yml") && basename(name) !== "tailgate.yml")
    .map((name) => join(folder, name))
    .sort();
}

const load = (path: string): Workflow => parse(readFileSync(join(ROOT, path), "utf8"));
const steps = (workflow: Workflow): Step[] =>
  Object.values(workflow.jobs).flatMap((job) => job.steps);

test.each([...OURS, ...EXAMPLES])(
  "%s grants per job, ends in time, and pins what it uses",
  (path) => {
    const workflow = load(path);
    expect(workflow.permissions).toEqual({});
    for (const job of Object.values(workflow.jobs)) {
      expect(job["timeout-minutes"]).toBeGreaterThan(0);
      expect(job.permissions).toBeDefined();
    }
    for (const { uses } of steps(workflow)) {
      if (uses === undefined || uses === "./") continue;
      if (!ACTION.test(uses)) expect(uses).toMatch(OTHERS);
      expect(readFileSync(join(ROOT, path), "utf8")).toMatch(
        new RegExp(`uses: ${uses} # v\\d+\\.\\d+\\.\\d+\\n`),
      );
    }
    for (const step of steps(workflow).filter(({ uses }) =>
      uses?.startsWith("actions/checkout@"),
    )) {
      expect(step.with?.["persist-credentials"]).toBe(false);
    }
  },
);

/** Events that run what a pull request says. */
const OF_PULL_REQUESTS = ["pull_request", "merge_group", "issue_comment"];

test.each([...OURS, ...EXAMPLES])(
  "%s keeps pull requests and tokens that can write apart",
  (path) => {
    const { on, jobs } = load(path);
    const events = typeof on === "string" ? [on] : Object.keys(on);
    const isOfPullRequests = events.some((event) => OF_PULL_REQUESTS.includes(event));
    for (const job of Object.values(jobs)) {
      const machine = job["runs-on"];
      if (typeof machine === "string" && machine.startsWith("ubuntu-")) continue;
      // A label would not do: the workflow of a pull request can name any.
      if (isOfPullRequests) expect([machine].flat()).toContain("self-hosted");
      else expect(machine).toMatchObject({ group: "main-only" });
      if (isOfPullRequests) expect(Object.keys(job.permissions ?? {})).not.toContain("issues");
      if (isOfPullRequests) expect(job.permissions?.contents).toBe("read");
    }
  },
);

test.each([...OURS, ...EXAMPLES])(
  "%s gives the action what its mode reads, and reads what it sets",
  (path) => {
    const workflow = load(path);
    const own = steps(workflow).filter(({ uses }) => uses !== undefined && ACTION.test(uses));
    const text = readFileSync(join(ROOT, path), "utf8");
    for (const step of own) {
      const mode = String(step.with?.mode ?? "gate");
      for (const name of Object.keys(step.with ?? {})) {
        const input = INPUTS[name as InputName];
        expect(input?.modes, `${path}: ${name} in mode ${mode}`).toContain(mode);
      }
      for (const [, name] of text.matchAll(
        new RegExp(`steps\\.${step.id ?? "-"}\\.outputs\\.([\\w-]+)`, "g"),
      )) {
        const output = OUTPUTS[name as OutputName];
        expect(output?.modes, `${path}: ${name} of mode ${mode}`).toContain(mode);
      }
    }
  },
);

test.each([...OURS, ...EXAMPLES])("%s grants what its modes need", (path) => {
  for (const job of Object.values(load(path).jobs)) {
    const own = job.steps.filter(({ uses }) => uses !== undefined && ACTION.test(uses));
    const granted = Object.entries(job.permissions ?? {}).map(
      ([name, level]) => `${name}: ${level}`,
    );
    for (const step of own) {
      const mode = String(step.with?.mode ?? "gate") as Mode;
      // On request it sets no status.
      const needed = MODE_PERMISSIONS[mode].filter(
        (one) => step.with?.commit === undefined || one !== "statuses: write",
      );
      expect(granted, mode).toEqual(expect.arrayContaining(needed));
    }
  }
});

test.each([...OURS, ...EXAMPLES])("%s keeps every report that it makes", (path) => {
  for (const job of Object.values(load(path).jobs)) {
    const makers = job.steps.filter(({ uses, with: given = {} }) => {
      const mode = String(given.mode ?? "gate") as Mode;
      const judges = given.shard === undefined && given.needs === undefined;
      return ACTION.test(uses ?? "") && judges && OUTPUTS.reports.modes.includes(mode);
    });
    for (const { id } of makers) {
      const kept = job.steps.some(
        ({ uses, with: given }) =>
          uses?.startsWith("actions/upload-artifact@") &&
          String(given?.path).includes(`\${{ steps.${id}.outputs.reports }}`),
      );
      expect(kept, `${path}: the reports of the step ${id}`).toBe(true);
    }
  }
});

test("the night watches and records the workloads that baselines are of", () => {
  const configOf = (step: Step | undefined): unknown => step?.with?.config ?? INPUTS.config.default;
  const [update] = steps(load(".github/workflows/baseline-update.yml")).filter(
    ({ with: given }) => given?.mode === "update-baseline",
  );
  const { jobs } = load(".github/workflows/perf-nightly.yml");
  const [taken] = (jobs.issue?.steps ?? []).filter(({ uses }) =>
    uses?.includes("download-artifact"),
  );
  const watched = Object.values(jobs).filter((job) =>
    job.steps.some(
      ({ uses, with: given }) =>
        uses?.includes("upload-artifact") && given?.name === taken?.with?.name,
    ),
  );
  expect(watched).toHaveLength(1);
  const gate = watched[0]?.steps.find(({ id }) => id === "gate");
  expect(gate?.with).toMatchObject({ compare: "replay", "measure-unchanged": true });
  expect(configOf(gate)).toBe(configOf(update));
});

test("the app asks for what its mode needs", () => {
  const [step] = steps(load(".github/workflows/baseline-update.yml")).filter(({ uses }) =>
    uses?.startsWith("actions/create-github-app-token@"),
  );
  const asked = Object.entries(step?.with ?? {}).flatMap(([name, level]) =>
    name.startsWith("permission-") ? [`${name.slice("permission-".length)}: ${level}`] : [],
  );
  expect(asked.sort()).toEqual([...MODE_PERMISSIONS["update-baseline"]].sort());
});

test("the smallest example is as small as is said", () => {
  const text = readFileSync(join(ROOT, "docs/examples/smallest.yml"), "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.length).toBeLessThanOrEqual(21);
});

test("what the nightly canary plants fits the configuration", () => {
  execFileSync("git", ["apply", "--check", ".github/canary.patch"], { cwd: ROOT });
});

test("actionlint has nothing to say", (context) => {
  needs("actionlint", context);
  // The examples are held against our own action: as it is named there, actionlint could not read
  // it.
  const folder = makeFolder();
  const workflows = join(folder, ".github/workflows");
  mkdirSync(workflows, { recursive: true });
  execFileSync("git", ["init", "--quiet", folder]);
  cpSync(join(ROOT, "action.yml"), join(folder, "action.yml"));
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/action.cjs"), "// only asked whether it is there\n");
  cpSync(join(ROOT, ".github/actionlint.yaml"), join(folder, ".github/actionlint.yaml"));
  for (const path of [...OURS, ...EXAMPLES]) {
    const text = readFileSync(join(ROOT, path), "utf8");
    // Several examples are to be copied to the same name.
    const name = OURS.includes(path) ? basename(path) : path.replaceAll("/", "-");
    writeFileSync(join(workflows, name), text.replaceAll(/tailgate\/tailgate@\w+/g, "./"));
  }
  expect(run("actionlint", ["-no-color"], folder)).toEqual({ code: 0, output: "" });
});

test("zizmor has nothing to say", (context) => {
  needs("zizmor", context);
  const flags = ["--offline", "--no-progress", "--quiet", "--persona=auditor", "--color=never"];
  const { code, output } = run("zizmor", [...flags, ".", ...EXAMPLES], ROOT);
  expect(code, output).toBe(0);
});

function needs(program: string, context: TestContext): void {
  if (spawnSync(program, ["--version"]).status === 0) return;
  console.warn(`skipped: ${program} not on PATH`);
  context.skip(`${program} not on PATH`);
}

function run(
  program: string,
  args: string[],
  cwd: string,
): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  return { code: status, output: `${stdout}${stderr}` };
}
