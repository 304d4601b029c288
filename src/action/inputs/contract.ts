// The action's public contract as data: modes, inputs and outputs, with every default and every
// word of their documentation. action.yml and the tables of docs/action.md are generated from here,
// and the inputs are read by it. Pure.

import { EXPORT_FORMATS } from "../../core/export/names.ts";

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
      "Build, measure and judge. The job's conclusion is the verdict; summary, annotations and outputs carry it too. On a pull request from the same repository it also writes the comment, where the token may.",
    events: ["pull_request", "merge_group", "push", "workflow_dispatch"],
    permissions: ["contents: read"],
  },
  report: {
    summary:
      "Publish what a gate measured in another workflow run: judge its samples again with the base branch's policy and baselines, then write one comment and one commit status. Runs no code of the pull request and needs no checkout.",
    events: ["workflow_run"],
    permissions: ["actions: read", "contents: read", "pull-requests: write", "statuses: write"],
  },
  nightly: {
    summary:
      "The gate on the default branch, against the stored baseline's own commit; or, with `needs`, what other jobs of the night measured. Opens or updates one issue when something is wrong, and closes it when it is right again. Records what was measured in the history.",
    events: ["schedule", "workflow_dispatch", "push"],
    permissions: ["contents: write", "issues: write"],
  },
  "update-baseline": {
    summary:
      "Measure the default branch and propose its values as the new baseline, in one pull request that is kept up to date.",
    events: ["schedule", "workflow_dispatch", "push"],
    permissions: ["actions: read", "contents: write", "pull-requests: write"],
  },
  calibrate: {
    summary:
      "Measure the checkout against itself, and say what this runner can tell apart and how long it takes. Writes the runner's profile into the checkout, beside the baselines.",
    events: ["workflow_dispatch", "schedule"],
    permissions: ["contents: read"],
  },
  plan: {
    summary:
      "Spread the services over shards of about equal length, as a matrix for `merge`. On a pull request from the same repository it also says in an earlier commit's comment that a newer one is being measured, where the token may.",
    events: ["pull_request", "merge_group", "push", "schedule", "workflow_dispatch"],
    permissions: ["contents: read"],
  },
  merge: {
    summary:
      "Judge the samples of all shards together, once; from then on as `gate`. A shard that is missing makes the run invalid.",
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
    help: "Configuration file, relative to `working-directory`; in `report` mode relative to the root of the repository.",
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
    help: "Only these services of the configuration, separated by commas or line breaks; empty: all.",
    expects: "names of services, separated by commas or line breaks",
    example: "api, worker",
  },
  compare: {
    modes: ["gate", "nightly"],
    help: "What to compare with: `base` (the commit that the change started from), `replay` (the stored baseline's commit, built again), `stored` (the stored numbers) or `auto`; empty: as the configuration says, and in `nightly` mode `replay`. A shard compares with `base` where that would be `auto`.",
    expects: "one of auto, base, replay, stored",
    example: "base",
  },
  reference: {
    modes: ["gate", "nightly"],
    help: "Git revision to compare with; empty: what the event says that the change started from.",
    expects: "a branch, a tag or a commit that the checkout has",
    example: "v1.4.0",
  },
  seed: {
    modes: MEASURING,
    help: "Seed of everything random in the run; empty: as the configuration says, or a fresh one.",
    expects: "a whole number from 0 to 4294967295",
    example: "7",
  },
  "time-budget": {
    modes: MEASURING,
    help: "Stop measuring after this long; empty: as the configuration says.",
    expects: "a duration such as 90s or 10m",
    example: "10m",
  },
  "measure-unchanged": {
    default: "false",
    modes: ["gate", "nightly"],
    help: "Measure services that are the same in both arms too, as a self-test of the machine does; `nightly` always does.",
    expects: "true or false",
    example: "true",
  },
  resume: {
    default: "auto",
    modes: ["gate"],
    help: "Whether a job's next attempt goes on with the rounds of the attempt before (`auto`) or measures anew (`off`). It goes on where that attempt uploaded its `artifact` folder as `artifact-name`, the token has `actions: read`, and builds, configuration and machine are the same; else it says why not.",
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
    help: "Where samples, reports and the `artifact` folder are written, relative to `working-directory`.",
    expects: "a path inside the workspace",
    example: "tailgate-output",
  },
  exports: {
    modes: JUDGING,
    help: `Formats of other programs in which the report is written too, beside it, separated by commas or line breaks: ${EXPORT_FORMATS.map((one) => `\`${one}\``).join(", ")}. What is not decided is no number in any of them.`,
    expects: `formats out of ${EXPORT_FORMATS.join(", ")}`,
    example: "junit, openmetrics",
  },
  inconclusive: {
    default: "fail",
    modes: ["gate", "report", "nightly", "calibrate", "merge"],
    help: "Whether a run that could neither pass nor fail the change, or a runner that cannot show every limit, fails the job (`fail`) or not (`pass`). `regressed`, `invalid` and `no-baseline` always fail, and so does a run without an answer whose estimate lies beyond its margin.",
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
    help: "Tells several gates of one repository apart: each key has its own comment, commit status and issue.",
    expects: "1 to 64 letters, digits, dots, dashes or underscores",
    example: "api",
  },
  comment: {
    default: "always",
    modes: ["gate", "report", "plan", "merge"],
    help: "When the pull request gets the comment: `always`, `on-change` (not on a plain pass, unless there is a comment already, which is then brought up to date) or `never`.",
    expects: "one of always, on-change, never",
    example: "on-change",
  },
  status: {
    default: "auto",
    modes: PUBLISHING,
    help: "Whether a commit status `tailgate/<key>` is set: `always`, `never`, or `auto`: in `report` mode only, because elsewhere the job's own conclusion is there. It is never set to pending.",
    expects: "one of auto, always, never",
    example: "always",
  },
  "artifact-name": {
    default: "tailgate",
    modes: ["gate", "report"],
    help: "Name under which the gate's `artifact` folder is uploaded: `report` publishes it, and a job's next attempt goes on with it.",
    expects: "the `name:` given to actions/upload-artifact",
    example: "tailgate",
  },
  workflow: {
    default: ".github/workflows/perf-gate.yml",
    modes: ["report"],
    help: "File of the workflow whose runs are published. Anybody can add a workflow of the same name; nobody can add one at the same place of your default branch.",
    expects: "a path such as .github/workflows/perf-gate.yml",
    example: ".github/workflows/perf-gate.yml",
  },
  shards: {
    modes: ["plan"],
    help: "How many shards there are at most: as many as there are runners.",
    expects: "a whole number from 1 to 256",
    example: "3",
  },
  shard: {
    modes: ["gate"],
    help: "Measure this part of the services only and judge nothing: `merge` does, for all shards together. From the matrix that `plan` prints.",
    expects: "the part and the number of parts, such as 1/3",
    example: expression("matrix.shard"),
  },
  "shards-folder": {
    modes: ["merge"],
    help: "Folder into which actions/download-artifact put the shards' artifacts, one folder each.",
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
    help: "Results of the jobs before this one, as `toJSON(needs)` gives them. Nothing is measured then, and the issue speaks for those jobs: one that did not succeed is what is wrong. Their outputs `verdict` and `headline` are shown.",
    expects: "what the expression toJSON(needs) gives",
    example: expression("toJSON(needs)"),
  },
  history: {
    default: "tailgate-history",
    modes: ["gate", "report", "nightly", "update-baseline", "merge"],
    help: "Where the history of runs is kept: a branch of this repository, a ref such as `refs/tailgate/history`, the branch `tailgate-history` of another repository (`repository:owner/name`), a folder (`folder:path`), or `off`. `nightly` writes it, on the default branch only, which takes `contents: write`; the others read it.",
    expects:
      "a branch, a ref such as refs/tailgate/history, repository:owner/name, folder:path or off",
    example: "tailgate-history",
  },
  "record-folder": {
    modes: ["nightly"],
    help: "Beside `needs`: folder into which actions/download-artifact put what those jobs measured. Each `samples.v1.json` in it, or in a folder of it, is recorded in the history.",
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
    help: "`pass`, `improved`, `regressed`, `inconclusive`, `invalid` or `no-baseline`; `measured` for a shard, `error` when there is no verdict, `cancelled` when the job was.",
  },
  headline: {
    modes: MODES,
    help: "What happened, in one line.",
  },
  artifact: {
    modes: ["gate", "merge"],
    help: "Folder to hand to actions/upload-artifact; empty when there is nothing to hand over.",
  },
  reports: {
    modes: JUDGING,
    help: "Folder with `report.html`, `report.md`, `report.v1.json` and `samples.v1.json`, and of a night `history.html`; empty when nothing was measured.",
  },
  comment: {
    modes: PUBLISHING,
    help: "Address of the comment, where there is one.",
  },
  issue: {
    modes: ["nightly"],
    help: "Address of the issue that was opened, updated or closed.",
  },
  "pull-request": {
    modes: ["update-baseline"],
    help: "Address of the pull request that updates the baselines, where there is one.",
  },
  profile: {
    modes: ["calibrate"],
    help: "File with the runner's profile, in its place in the checkout: commit it, and `gate` and `plan` say what to expect.",
  },
  matrix: {
    modes: ["plan"],
    help: "JSON for `strategy.matrix`: one entry for each shard, with `shard` and `services`.",
  },
} as const satisfies Record<string, OutputSpec>;

export type OutputName = keyof typeof OUTPUTS_AS_WRITTEN;
export const OUTPUTS: Readonly<Record<OutputName, OutputSpec>> = OUTPUTS_AS_WRITTEN;
