// What action.yml and docs/action.md say of each mode, input and output, in Markdown. Nothing at run
// time needs it.
import type { InputName, Mode, OutputName } from "../../src/action/inputs/contract.ts";
import { EXPORT_FORMATS } from "../../src/core/model/export.ts";

export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  gate: "Build, measure and judge. The job's conclusion is the verdict. On a pull request from the same repository it also writes the comment, if the token may.",
  report:
    "Publish what a gate measured in another workflow run, or with `commit` in this one: judge its samples again by the base branch's configuration and baselines, then write one comment and one commit status. Needs no checkout.",
  nightly:
    "Gate the default branch against the stored baseline's commit or, with `needs`, take the results of other jobs. Keeps one issue open while something is wrong, and records the run in the history.",
  "update-baseline":
    "Measure the default branch and propose its values as the new baseline, in one pull request.",
  calibrate:
    "Measure the checkout against itself, and report [what this runner can detect](runner.md#tailgate-calibrate). Writes the runner's profile beside the baselines.",
  plan: "Divide the rounds, or with many shards the services too, into parts of about equal length, as a job matrix. On a pull request from the same repository it also marks an earlier commit's comment as outdated, if the token may.",
  merge: "Judge the samples of all shards together, then go on as `gate`.",
  request:
    "Take a request for a gate in a pull request: a comment `/tailgate`, a label, or a draft made ready. Answers there with what will be measured, and tells the next jobs. Checks out nothing.",
};

/** Events that it makes sense on, as a workflow names them. */
export const MODE_EVENTS: Readonly<Record<Mode, readonly string[]>> = {
  gate: ["pull_request", "merge_group", "push", "workflow_dispatch"],
  report: ["workflow_run", "pull_request_target"],
  nightly: ["schedule", "workflow_dispatch", "push"],
  "update-baseline": ["schedule", "workflow_dispatch", "push"],
  calibrate: ["workflow_dispatch", "schedule"],
  plan: ["pull_request", "merge_group", "push", "schedule", "workflow_dispatch"],
  merge: ["pull_request", "merge_group", "push", "schedule", "workflow_dispatch"],
  request: ["issue_comment", "pull_request"],
};

/** What it is for, in one or two sentences. */
export const INPUT_WORDS: Readonly<Record<InputName, string>> = {
  mode: "What the step does.",
  config:
    "Configuration file, relative to `working-directory`; in `report` mode to the repository's root.",
  "working-directory": "Folder of the checkout, relative to the workspace.",
  services: "Only these services; empty: all. In `report` mode those that the gate was given.",
  compare:
    "What to compare with, as `compare` of tailgate.yml: `auto`, `base`, `replay` or `stored`; empty: as configured, in `nightly` mode `replay`. In a shard `auto` means `base`.",
  reference:
    "Git revision to compare with; empty: by the event. In `report` mode the commit's id or the tag that the gate was given; samples with another are refused.",
  commit:
    "Publish what this same run has measured, of this commit of the event's pull request. No commit status is set.",
  seed: "Seed of every random choice; empty: as configured, or a fresh one.",
  "time-budget": "Stop measuring after this long; empty: as configured.",
  "measure-unchanged": "Also measure services that did not change; `nightly` always does.",
  resume:
    "Whether a re-run continues the previous attempt's rounds (`auto`) or starts anew (`off`).",
  wait: "How long to wait for another gate on the same machine.",
  rounds: "Rounds of every service.",
  "output-folder": "Folder for samples, reports and `artifact`, relative to `working-directory`.",
  exports: `Also write the report in these formats: ${EXPORT_FORMATS.map((one) => `\`${one}\``).join(", ")}.`,
  inconclusive:
    "`pass`: an `inconclusive` run is green, unless a gated estimate lies beyond its margin; so is a calibration that cannot show every limit.",
  token: "Token for GitHub's API; builds and services do not find it.",
  key: "Name of this gate, where a repository has several: each key has its own comment, commit status and issue.",
  comment:
    "When to comment: `always`, `on-change` (a plain pass only updates an existing comment) or `never`.",
  status:
    "Whether to set a commit status `tailgate/<key>`: `always`, `never`, or `auto` (in `report` mode only).",
  "artifact-name":
    "Name under which the gate's `artifact` folder is uploaded, for `report` and for re-runs.",
  workflow: "File of the workflow whose runs are published. Runs of other files are refused.",
  shards:
    "Number of shards at most, such as the number of runners. More than three for each service are not used.",
  shard:
    "Measure only this part of the run, such as 1/3, for `merge` to judge. From the matrix of `plan`.",
  "shards-folder": "Folder with the shards' downloaded artifacts, one folder each.",
  "issue-label": "Label of the issue that `nightly` opens.",
  needs:
    "Results of earlier jobs, as `toJSON(needs)` gives them. Nothing is measured then: the issue reports the jobs that did not succeed, with their outputs `verdict` and `headline`.",
  history:
    "Where the history is kept: a branch, a ref such as `refs/tailgate/history`, another repository (`repository:owner/name`), a folder (`folder:path`), or `off`. `nightly` writes it on the default branch, with `contents: write`; the others read it.",
  "record-folder":
    "With `needs`: folder with the artifacts of those jobs. Each `samples.v1.json` in it, or one folder below, is recorded in the history.",
};

/** Those of which the words, the default or another table say what may be written. */
export const SAID: ReadonlySet<InputName> = new Set([
  "mode",
  "config",
  "working-directory",
  "compare",
  "reference",
  "measure-unchanged",
  "resume",
  "wait",
  "output-folder",
  "exports",
  "inconclusive",
  "token",
  "comment",
  "status",
  "artifact-name",
  "workflow",
  "shard",
  "shards-folder",
  "issue-label",
  "needs",
  "history",
  "record-folder",
]);

export const OUTPUT_WORDS: Readonly<Record<OutputName, string>> = {
  verdict:
    "`pass`, `improved`, `regressed`, `inconclusive`, `invalid` or `no-baseline`; `measured` for a shard, `error` without a verdict, `cancelled` when the job was.",
  headline: "What happened, in one line.",
  artifact: "Folder for actions/upload-artifact; empty when there is nothing to upload.",
  reports:
    "Folder with `report.html`, `report.md`, `report.v1.json`, `samples.v1.json` and, in `nightly` mode, `history.html`; empty when nothing was measured.",
  comment: "URL of the comment, if there is one.",
  issue: "URL of the issue.",
  "pull-request": "URL of the pull request that updates the baselines, if there is one.",
  profile:
    "File with the runner's profile, to commit: `gate` and `plan` then report what to expect.",
  matrix:
    "JSON for `strategy.matrix`: one entry for each shard, with `shard`, its `services`, which of their `rounds`, and a name for its `artifact`.",
  commit: "Id of the pull request's head that was asked for; empty: there is nothing to measure.",
  services: "Names of the services that were asked for; empty: all.",
  reference: "Id of the commit to compare with.",
};
