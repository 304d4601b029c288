// The action's public contract as data: modes, inputs and outputs, with every default. The inputs are
// read by it; action.yml and the tables of docs/action.md are generated from it, with the words of
// scripts/generate/action-words.ts. Pure.

import { EXPORT_FORMATS } from "../../core/model/export.ts";

/**
 * What the job's token needs, as lines under `permissions:`; more is named where it is optional.
 */
export const MODE_PERMISSIONS = {
  gate: ["contents: read"],
  report: ["actions: read", "contents: read", "pull-requests: write", "statuses: write"],
  nightly: ["contents: write", "issues: write"],
  "update-baseline": ["actions: read", "contents: write", "pull-requests: write"],
  calibrate: ["contents: read"],
  plan: ["contents: read"],
  merge: ["contents: read"],
  request: ["contents: read", "pull-requests: write"],
} satisfies Record<string, readonly string[]>;

export type Mode = keyof typeof MODE_PERMISSIONS;
export const MODES = Object.keys(MODE_PERMISSIONS) as Mode[];

interface InputSpec {
  /** As text, the way a workflow would write it; empty: not given. */
  default?: string;
  /** Modes that look at it; elsewhere it must be left out. */
  modes: readonly Mode[];
  /** What may be written, completing "expected …". */
  expects: string;
  /** A value to show in messages; absent: the default. */
  example?: string;
}

const MEASURING: readonly Mode[] = ["gate", "nightly", "update-baseline", "calibrate"];
const JUDGING: readonly Mode[] = ["gate", "nightly", "merge"];
const PUBLISHING: readonly Mode[] = ["gate", "report", "merge"];

/** As a workflow writes an expression; the runner fills it in. */
const expression = (text: string): string => `$${"{{"} ${text} }}`;

const INPUTS_AS_WRITTEN = {
  mode: { default: "gate", modes: MODES, expects: `one of ${MODES.join(", ")}` },
  config: { default: "tailgate.yml", modes: MODES, expects: "a path inside the repository" },
  "working-directory": {
    default: ".",
    modes: [...MEASURING, "plan", "merge"],
    expects: "a folder inside the workspace",
    example: "checkout",
  },
  services: {
    modes: [...MEASURING, "report"],
    expects: "names of services, separated by commas or line breaks",
    example: "api, worker",
  },
  compare: {
    modes: ["gate", "nightly"],
    expects: "one of auto, base, replay, stored",
    example: "base",
  },
  reference: {
    modes: ["gate", "nightly", "report"],
    expects: "a branch, a tag or a commit that the checkout has",
    example: "v1.4.0",
  },
  commit: {
    modes: ["report"],
    expects: "the output `commit` of `mode: request`",
    example: expression("needs.request.outputs.commit"),
  },
  seed: { modes: MEASURING, expects: "a whole number from 0 to 4294967295", example: "7" },
  "time-budget": { modes: MEASURING, expects: "a duration such as 90s or 10m", example: "10m" },
  "measure-unchanged": {
    default: "false",
    modes: ["gate", "nightly"],
    expects: "true or false",
    example: "true",
  },
  resume: { default: "auto", modes: ["gate"], expects: "auto or off", example: "off" },
  wait: {
    default: "30m",
    modes: MEASURING,
    expects: "a duration such as 90s or 10m",
    example: "10m",
  },
  rounds: {
    default: "16",
    modes: ["calibrate"],
    expects: "a whole number from 8 to 500",
    example: "32",
  },
  "output-folder": {
    // actions/upload-artifact leaves out what begins with a dot, the folder that it is asked for
    // included.
    default: "tailgate-output",
    modes: [...MEASURING, "merge"],
    expects: "a path inside the workspace",
  },
  exports: {
    modes: JUDGING,
    expects: `formats out of ${EXPORT_FORMATS.join(", ")}`,
    example: "junit, openmetrics",
  },
  inconclusive: {
    default: "fail",
    modes: ["gate", "report", "nightly", "calibrate", "merge"],
    expects: "fail or pass",
    example: "pass",
  },
  token: {
    default: expression("github.token"),
    modes: MODES,
    expects: "a token, from a secret or left out",
  },
  key: {
    default: "default",
    modes: ["gate", "report", "nightly", "plan", "merge"],
    expects: "1 to 64 letters, digits, dots, dashes or underscores",
    example: "api",
  },
  comment: {
    default: "always",
    modes: ["gate", "report", "plan", "merge"],
    expects: "one of always, on-change, never",
    example: "on-change",
  },
  status: {
    default: "auto",
    modes: PUBLISHING,
    expects: "one of auto, always, never",
    example: "always",
  },
  "artifact-name": {
    default: "tailgate",
    modes: ["gate", "report"],
    expects: "the `name:` given to actions/upload-artifact",
  },
  workflow: {
    default: ".github/workflows/perf-gate.yml",
    modes: ["report"],
    expects: "a path such as .github/workflows/perf-gate.yml",
  },
  shards: { modes: ["plan"], expects: "a whole number from 1 to 256", example: "3" },
  shard: {
    modes: ["gate"],
    expects: "the part and the number of parts, such as 1/3",
    example: expression("matrix.shard"),
  },
  "shards-folder": {
    modes: ["merge"],
    expects: "a folder inside the workspace",
    example: "shards",
  },
  "issue-label": {
    default: "tailgate",
    modes: ["nightly"],
    expects: "1 to 50 characters without a comma",
    example: "performance",
  },
  needs: {
    modes: ["nightly"],
    expects: "what the expression toJSON(needs) gives",
    example: expression("toJSON(needs)"),
  },
  history: {
    default: "tailgate-history",
    modes: ["gate", "report", "nightly", "update-baseline", "merge"],
    expects:
      "a branch, a ref such as refs/tailgate/history, repository:owner/name, folder:path or off",
  },
  "record-folder": {
    modes: ["nightly"],
    expects: "a folder inside the workspace",
    example: "measured",
  },
} as const satisfies Record<string, InputSpec>;

export type InputName = keyof typeof INPUTS_AS_WRITTEN;
export const INPUTS: Readonly<Record<InputName, InputSpec>> = INPUTS_AS_WRITTEN;
export const INPUT_NAMES = Object.keys(INPUTS) as InputName[];

interface OutputSpec {
  modes: readonly Mode[];
}

const OUTPUTS_AS_WRITTEN = {
  verdict: { modes: ["gate", "report", "nightly", "merge"] },
  headline: { modes: MODES },
  artifact: { modes: ["gate", "merge"] },
  reports: { modes: JUDGING },
  comment: { modes: PUBLISHING },
  issue: { modes: ["nightly"] },
  "pull-request": { modes: ["update-baseline"] },
  profile: { modes: ["calibrate"] },
  matrix: { modes: ["plan"] },
  commit: { modes: ["request"] },
  services: { modes: ["request"] },
  reference: { modes: ["request"] },
} as const satisfies Record<string, OutputSpec>;

export type OutputName = keyof typeof OUTPUTS_AS_WRITTEN;
export const OUTPUTS: Readonly<Record<OutputName, OutputSpec>> = OUTPUTS_AS_WRITTEN;
