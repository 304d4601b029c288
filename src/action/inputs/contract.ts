// The action's public contract as data: modes, inputs and outputs, with every default and every
// word of their documentation. action.yml and the tables of docs/action.md are generated from here,
// and the inputs are read by it. Pure.

import { EXPORT_FORMATS } from "../../core/model/export.ts";

export const MODES = [
  "gate",
  "report",
  "nightly",
  "update-baseline",
  "calibrate",
  "plan",
  "merge",
] as const;
export type Mode = (typeof MODES)[number];

interface ModeFacts {
  summary: string;
  /** Events that the mode makes sense on, as a workflow names them. */
  events: readonly string[];
  /**
   * What the job's token needs, as lines under `permissions:`; more is named where it is optional.
   */
  permissions: readonly string[];
}

export const MODE_FACTS: Readonly<Record<Mode, ModeFacts>> = {
  gate: {
    summary:
      "Build, measure and judge. The job's conclusion is the verdict. On a pull request from the same repository it also writes the comment, if the token may.",
    events: ["pull_request", "merge_group", "push", "workflow_dispatch"],
    permissions: ["contents: read"],
  },
  report: {
    summary:
      "Publish what a gate measured in another workflow run: judge its samples again by the base branch's configuration and baselines, then write one comment and one commit status. Runs no code of the pull request and needs no checkout.",
    events: ["workflow_run"],
    permissions: ["actions: read", "contents: read", "pull-requests: write", "statuses: write"],
  },
  nightly: {
    summary:
      "Gate the default branch against the stored baseline's commit or, with `needs`, take the results of other jobs. Keeps one issue open while something is wrong, and records the run in the history.",
    events: ["schedule", "workflow_dispatch", "push"],
    permissions: ["contents: write", "issues: write"],
  },
  "update-baseline": {
    summary:
      "Measure the default branch and propose its values as the new baseline, in one pull request.",
    events: ["schedule", "workflow_dispatch", "push"],
    permissions: ["actions: read", "contents: write", "pull-requests: write"],
  },
  calibrate: {
    summary:
      "Measure the checkout against itself, and report what this runner can detect. Writes the runner's profile beside the baselines.",
    events: ["workflow_dispatch", "schedule"],
    permissions: ["contents: read"],
  },
  plan: {
    summary:
      "Divide the rounds of all services, or with many shards the services too, into parts of about equal length, as a job matrix. On a pull request from the same repository it also marks the comment of an earlier commit as outdated, if the token may.",
    events: ["pull_request", "merge_group", "push", "schedule", "workflow_dispatch"],
    permissions: ["contents: read"],
  },
  merge: {
    summary:
      "Judge the samples of all shards together, then go on as `gate`. A missing shard costs its rounds; the report names it.",
    events: ["pull_request", "merge_group", "push", "schedule", "workflow_dispatch"],
    permissions: ["contents: read"],
  },
};

interface InputSpec {
  /** As text, the way a workflow would write it; empty: not given. */
  default?: string;
  /** Modes that look at it; elsewhere it must be left out. */
  modes: readonly Mode[];
  /** What it is for, in one or two sentences of Markdown. */
  help: string;
  /** What may be written, completing "expected …". */
  expects: string;
  /** A value to show in messages. */
  example: string;
}

const MEASURING: readonly Mode[] = ["gate", "nightly", "update-baseline", "calibrate"];
const JUDGING: readonly Mode[] = ["gate", "nightly", "merge"];
const PUBLISHING: readonly Mode[] = ["gate", "report", "merge"];

/** As a workflow writes an expression; the runner fills it in. */
const expression = (text: string): string => `$${"{{"} ${text} }}`;

const INPUTS_AS_WRITTEN = {
  mode: {
    default: "gate",
    modes: MODES,
    help: "What the step does.",
    expects: `one of ${MODES.join(", ")}`,
    example: "gate",
  },
  config: {
    default: "tailgate.yml",
    modes: MODES,
    help: "Configuration file, relative to `working-directory`; in `report` mode to the repository's root.",
    expects: "a path inside the repository",
    example: "tailgate.yml",
  },
  "working-directory": {
    default: ".",
    modes: [...MEASURING, "plan", "merge"],
    help: "Folder of the checkout, relative to the workspace.",
    expects: "a folder inside the workspace",
    example: "checkout",
  },
  services: {
    modes: MEASURING,
    help: "Only these services; empty: all.",
    expects: "names of services, separated by commas or line breaks",
    example: "api, worker",
  },
  compare: {
    modes: ["gate", "nightly"],
    help: "`base` (the commit that the change started from), `replay` (the stored baseline's commit, built again), `stored` (the stored values) or `auto`; empty: as configured, in `nightly` mode `replay`. In a shard `auto` means `base`.",
    expects: "one of auto, base, replay, stored",
    example: "base",
  },
  reference: {
    modes: ["gate", "nightly"],
    help: "Git revision to compare with; empty: by the event.",
    expects: "a branch, a tag or a commit that the checkout has",
    example: "v1.4.0",
  },
  seed: {
    modes: MEASURING,
    help: "Seed of every random choice; empty: as configured, or a fresh one.",
    expects: "a whole number from 0 to 4294967295",
    example: "7",
  },
  "time-budget": {
    modes: MEASURING,
    help: "Stop measuring after this long; empty: as configured.",
    expects: "a duration such as 90s or 10m",
    example: "10m",
  },
  "measure-unchanged": {
    default: "false",
    modes: ["gate", "nightly"],
    help: "Also measure services that are the same in both arms; `nightly` always does.",
    expects: "true or false",
    example: "true",
  },
  resume: {
    default: "auto",
    modes: ["gate"],
    help: "Whether a re-run continues the previous attempt's rounds (`auto`) or starts anew (`off`). It continues if that attempt uploaded its `artifact` folder as `artifact-name`, the token has `actions: read`, and builds, configuration and machine are the same.",
    expects: "auto or off",
    example: "off",
  },
  wait: {
    default: "30m",
    modes: MEASURING,
    help: "How long to wait for another gate on the same machine.",
    expects: "a duration such as 90s or 10m",
    example: "10m",
  },
  rounds: {
    default: "16",
    modes: ["calibrate"],
    help: "Rounds of every service.",
    expects: "a whole number from 8 to 500",
    example: "32",
  },
  "output-folder": {
    // actions/upload-artifact leaves out what begins with a dot, the folder that it is asked for
    // included.
    default: "tailgate-output",
    modes: [...MEASURING, "merge"],
    help: "Folder for samples, reports and `artifact`, relative to `working-directory`.",
    expects: "a path inside the workspace",
    example: "tailgate-output",
  },
  exports: {
    modes: JUDGING,
    help: `Also write the report in these formats: ${EXPORT_FORMATS.map((one) => `\`${one}\``).join(", ")}.`,
    expects: `formats out of ${EXPORT_FORMATS.join(", ")}`,
    example: "junit, openmetrics",
  },
  inconclusive: {
    default: "fail",
    modes: ["gate", "report", "nightly", "calibrate", "merge"],
    help: "Whether an `inconclusive` run, or a calibration that cannot show every limit, fails the job (`fail`) or not (`pass`). A run whose gated estimate lies beyond its margin always fails, as do `regressed`, `invalid` and `no-baseline`.",
    expects: "fail or pass",
    example: "pass",
  },
  token: {
    default: expression("github.token"),
    modes: MODES,
    help: "Token for GitHub's API. Builds and services never see it.",
    expects: "a token, from a secret or left out",
    example: expression("github.token"),
  },
  key: {
    default: "default",
    modes: ["gate", "report", "nightly", "plan", "merge"],
    help: "Name of this gate, where a repository has several: each key has its own comment, commit status and issue.",
    expects: "1 to 64 letters, digits, dots, dashes or underscores",
    example: "api",
  },
  comment: {
    default: "always",
    modes: ["gate", "report", "plan", "merge"],
    help: "When to comment: `always`, `on-change` (a plain pass only updates an existing comment) or `never`.",
    expects: "one of always, on-change, never",
    example: "on-change",
  },
  status: {
    default: "auto",
    modes: PUBLISHING,
    help: "Whether to set a commit status `tailgate/<key>`: `always`, `never`, or `auto` (in `report` mode only). It is never pending.",
    expects: "one of auto, always, never",
    example: "always",
  },
  "artifact-name": {
    default: "tailgate",
    modes: ["gate", "report"],
    help: "Name under which the gate's `artifact` folder is uploaded, for `report` and for re-runs.",
    expects: "the `name:` given to actions/upload-artifact",
    example: "tailgate",
  },
  workflow: {
    default: ".github/workflows/perf-gate.yml",
    modes: ["report"],
    help: "File of the workflow whose runs are published. Runs of other files are refused.",
    expects: "a path such as .github/workflows/perf-gate.yml",
    example: ".github/workflows/perf-gate.yml",
  },
  shards: {
    modes: ["plan"],
    help: "Number of shards at most, such as the number of runners. More than three for each service are not used.",
    expects: "a whole number from 1 to 256",
    example: "3",
  },
  shard: {
    modes: ["gate"],
    help: "Measure only this part of the run, for `merge` to judge. From the matrix of `plan`.",
    expects: "the part and the number of parts, such as 1/3",
    example: expression("matrix.shard"),
  },
  "shards-folder": {
    modes: ["merge"],
    help: "Folder with the shards' downloaded artifacts, one folder each.",
    expects: "a folder inside the workspace",
    example: "shards",
  },
  "issue-label": {
    default: "tailgate",
    modes: ["nightly"],
    help: "Label of the issue that `nightly` opens.",
    expects: "1 to 50 characters without a comma",
    example: "performance",
  },
  needs: {
    modes: ["nightly"],
    help: "Results of earlier jobs, as `toJSON(needs)` gives them. Nothing is measured then: the issue reports the jobs that did not succeed, with their outputs `verdict` and `headline`.",
    expects: "what the expression toJSON(needs) gives",
    example: expression("toJSON(needs)"),
  },
  history: {
    default: "tailgate-history",
    modes: ["gate", "report", "nightly", "update-baseline", "merge"],
    help: "Where the history is kept: a branch, a ref such as `refs/tailgate/history`, another repository (`repository:owner/name`), a folder (`folder:path`), or `off`. `nightly` writes it on the default branch, with `contents: write`; the others read it.",
    expects:
      "a branch, a ref such as refs/tailgate/history, repository:owner/name, folder:path or off",
    example: "tailgate-history",
  },
  "record-folder": {
    modes: ["nightly"],
    help: "With `needs`: folder with the artifacts of those jobs. Each `samples.v1.json` in it, or one folder below, is recorded in the history.",
    expects: "a folder inside the workspace",
    example: "measured",
  },
} as const satisfies Record<string, InputSpec>;

export type InputName = keyof typeof INPUTS_AS_WRITTEN;
export const INPUTS: Readonly<Record<InputName, InputSpec>> = INPUTS_AS_WRITTEN;
export const INPUT_NAMES = Object.keys(INPUTS) as InputName[];

interface OutputSpec {
  modes: readonly Mode[];
  help: string;
}

const OUTPUTS_AS_WRITTEN = {
  verdict: {
    modes: ["gate", "report", "nightly", "merge"],
    help: "`pass`, `improved`, `regressed`, `inconclusive`, `invalid` or `no-baseline`; `measured` for a shard, `error` without a verdict, `cancelled` when the job was.",
  },
  headline: {
    modes: MODES,
    help: "What happened, in one line.",
  },
  artifact: {
    modes: ["gate", "merge"],
    help: "Folder for actions/upload-artifact; empty when there is nothing to upload.",
  },
  reports: {
    modes: JUDGING,
    help: "Folder with `report.html`, `report.md`, `report.v1.json`, `samples.v1.json` and, in `nightly` mode, `history.html`; empty when nothing was measured.",
  },
  comment: {
    modes: PUBLISHING,
    help: "URL of the comment, if there is one.",
  },
  issue: {
    modes: ["nightly"],
    help: "URL of the issue.",
  },
  "pull-request": {
    modes: ["update-baseline"],
    help: "URL of the pull request that updates the baselines, if there is one.",
  },
  profile: {
    modes: ["calibrate"],
    help: "File with the runner's profile, to commit: `gate` and `plan` then report what to expect.",
  },
  matrix: {
    modes: ["plan"],
    help: "JSON for `strategy.matrix`: one entry for each shard, with `shard`, its `services`, which of their `rounds`, and a name for its `artifact`.",
  },
} as const satisfies Record<string, OutputSpec>;

export type OutputName = keyof typeof OUTPUTS_AS_WRITTEN;
export const OUTPUTS: Readonly<Record<OutputName, OutputSpec>> = OUTPUTS_AS_WRITTEN;
