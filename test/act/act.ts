// Runs a workflow of a repository under `act`, on this machine and without a network, and reads
// what came of it. Actions from elsewhere are replaced by the stand-ins beside this file, and
// `tailgate/tailgate` by this checkout; `actions/checkout` without a `ref` act replaces itself, by a
// copy of the repository.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";

const STAND_INS = join(import.meta.dirname, "actions");

interface Event {
  name: string;
  /** What GitHub would put into the event's file. */
  payload: object;
  /** Workflow file, relative to the repository. */
  workflow: string;
  /** Number of the run, as GITHUB_RUN_ID. */
  runId: number;
  /** As GITHUB_REF, `refs/heads/main` for instance. */
  ref: string;
  /** As GITHUB_REPOSITORY; from a local remote act cannot tell. */
  repository: string;
  /** What the job's own token is. */
  token: string;
  apiUrl: string;
  /** Folder with our action.yml and its bundle, for workflows of other repositories. */
  action: string;
  /** Where the stand-ins keep artifacts. */
  artifacts: string;
  secrets?: Record<string, string>;
  variables?: Record<string, string>;
  env?: Record<string, string>;
}

type Result = "success" | "failure" | "skipped";

export interface Outcome {
  /** By job id; a job that did not start is not in it. */
  jobs: Record<string, Result>;
  /** By job id and then by the step's id, or its name where it has no id. */
  steps: Record<string, Record<string, Result>>;
  /**
   * By job id and then by the step's id, or its number where it has none; of a matrix the last
   * shard's.
   */
  outputs: Record<string, Record<string, Record<string, string>>>;
  /** What the steps wrote to the summary, by job id. */
  summaries: Record<string, string>;
  /** Everything printed, for a failing test's message. */
  log: string;
}

interface Line {
  level?: string;
  msg?: string;
  jobID?: string;
  step?: string;
  stepID?: string[];
  stage?: string;
  stepResult?: Result;
  jobResult?: Result;
  command?: string;
  name?: string;
  arg?: string;
  content?: string;
  raw_output?: boolean;
}

/** Ends the test as skipped, and says so, where act is not installed. */
export function needsAct(context: TestContext): void {
  if (spawnSync("act", ["--version"]).status === 0) return;
  console.warn("skipped: act not on PATH");
  context.skip("act not on PATH");
}

export async function act(repository: string, event: Event): Promise<Outcome> {
  const scratch = mkdtempSync(join(tmpdir(), "tailgate-act-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const payload = join(scratch, "event.json");
  writeFileSync(payload, JSON.stringify(event.payload));
  const workflow = readFileSync(join(repository, event.workflow), "utf8");
  const env = {
    GITHUB_API_URL: event.apiUrl,
    GITHUB_REPOSITORY: event.repository,
    GITHUB_RUN_ID: String(event.runId),
    GITHUB_REF: event.ref,
    TAILGATE_TEST_ARTIFACTS: event.artifacts,
    ...event.env,
  };
  const pairs = (flag: string, values: Record<string, string>): string[] =>
    Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${value}`]);
  const flags = [
    event.name,
    "--json",
    ...["--eventpath", payload],
    ...["--workflows", event.workflow],
    ...["--platform", "self-hosted=-self-hosted"],
    ...["--platform", "ubuntu-24.04=-self-hosted"],
    ...["--action-cache-path", join(scratch, "cache")],
    "--no-cache-server",
    "--action-offline-mode",
    ...pairs("--env", env),
    ...pairs("--secret", { GITHUB_TOKEN: event.token, ...event.secrets }),
    ...pairs("--var", event.variables ?? {}),
    ...standIns(workflow, event.action),
  ];
  return outcome(await output(flags, repository, event.env ?? {}));
}

/** One flag for each action that the workflow uses from elsewhere, at whatever commit it pins. */
function standIns(workflow: string, action: string): string[] {
  const used = workflow.matchAll(/^[^#\n]*\buses: (([\w-]+)\/([\w-]+)@([\w.-]+))/gm);
  return [...used].flatMap(([, whole = "", owner, name = ""]) => {
    if (whole.startsWith("actions/checkout@") && !/^ +ref:/m.test(workflow)) return [];
    if (owner === "tailgate") return ["--local-repository", `${whole}=${action}`];
    const folder = join(STAND_INS, name);
    if (owner !== "actions" || !existsSync(folder)) {
      throw new Error(`no stand-in for ${whole} in ${STAND_INS}`);
    }
    return ["--local-repository", `${whole}=${folder}`];
  });
}

function output(
  flags: readonly string[],
  cwd: string,
  { PATH = process.env.PATH ?? "" }: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((done, fail) => {
    // act runs whatever `node` is first on the PATH, whatever an action asks for.
    const path = `${dirname(process.execPath)}:${PATH}`;
    const child = spawn("act", flags, {
      cwd,
      env: { ...process.env, PATH: path },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let text = "";
    const take = (chunk: string): void => {
      text += chunk;
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.on("error", fail);
    child.on("close", () => done(text));
  });
}

function outcome(text: string): Outcome {
  const result: Outcome = { jobs: {}, steps: {}, outputs: {}, summaries: {}, log: "" };
  for (const line of text.split("\n").map(parseLine)) {
    if (line.command !== "set-output") result.log += `${(line.msg ?? "").trimEnd()}\n`;
    const job = line.jobID;
    if (job === undefined) continue;
    const step = line.stepID?.join("/") ?? "";
    // The jobs of a matrix share an id: one that failed is not covered up by one that did not.
    if (line.jobResult !== undefined && result.jobs[job] !== "failure") {
      result.jobs[job] = line.jobResult;
    }
    if (line.stepResult !== undefined && line.stage === "Main") {
      result.steps[job] ??= {};
      result.steps[job][/^\d+$/.test(step) ? (line.step ?? step) : step] = line.stepResult;
    }
    if (line.command === "set-output" && line.name !== undefined) {
      const ofJob = result.outputs[job] ?? {};
      ofJob[step] = { ...ofJob[step], [line.name]: line.arg ?? "" };
      result.outputs[job] = ofJob;
    }
    if (line.command === "summary") {
      result.summaries[job] = `${result.summaries[job] ?? ""}${line.content ?? ""}`;
    }
  }
  return result;
}

function parseLine(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return { msg: text };
  }
}
