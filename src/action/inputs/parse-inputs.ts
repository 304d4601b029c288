// The step's inputs: text as the runner gives it -> values, or a failure that says which YAML to
// write. Pure.
import { z } from "zod";
import type { ProjectOptions } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { nearest } from "../../core/base/nearest.ts";
import { showValue } from "../../core/base/show-value.ts";
import { relativePath } from "../../core/config/relative-path.ts";
import { parseDuration } from "../../core/config/units.ts";
import { COMPARE_MODES } from "../../core/model/config.ts";
import { EXPORT_FORMATS, type ExportFormat } from "../../core/model/export.ts";
import {
  COMMENT_POLICIES,
  type CommentPolicy,
} from "../../core/report/pull-request/plan-comment.ts";
import { type HistoryPlace, parseHistoryPlace } from "../history/place.ts";
import { INPUT_NAMES, INPUTS, type InputName, MODES, type Mode } from "./contract.ts";

const STATUS_POLICIES = ["auto", "always", "never"] as const;
type StatusPolicy = (typeof STATUS_POLICIES)[number];

/** One of `of` equal shards; both count from 1. */
export type Shard = NonNullable<ProjectOptions["shard"]>;

/** How another job of the same run ended. Its outputs are a stranger's text to us. */
export interface EndedJob {
  name: string;
  /** As GitHub has it: `success`, `failure`, `cancelled` or `skipped`. */
  result: string;
  /** Empty: it has no output of that name. */
  verdict: string;
  headline: string;
}

/** What a project is opened with stands in it under the same names. */
export interface Inputs extends Required<Omit<ProjectOptions, "resume" | "answerAll" | "history">> {
  mode: Mode;
  /** Empty when the workflow gives none. */
  token: string;
  key: string;
  /** `/`-separated, without `..`, like every path here. */
  config: string;
  workingDirectory: string;
  /** Of a calibration. */
  rounds: number;
  /** Whether a job's next attempt goes on with what the attempt before measured. */
  continues: boolean;
  out: string;
  exports: ExportFormat[];
  inconclusive: "fail" | "pass";
  comment: CommentPolicy;
  status: StatusPolicy;
  artifactName: string;
  workflow: string;
  /** Null: not given. */
  shards: number | null;
  shardsFolder: string | null;
  issueLabel: string;
  /** Null: not given. */
  needs: EndedJob[] | null;
  historyPlace: HistoryPlace;
  /** Null: not given. */
  recordFolder: string | null;
}

const MAX_SEED = 0xffffffff;
/** GitHub starts at most as many jobs from one matrix. */
const MAX_SHARDS = 256;

/**
 * `given` has every input that the runner hands over, by name in lower case; what is absent has its
 * default.
 */
export function parseInputs(given: ReadonlyMap<string, string>): Inputs {
  refuseUnknown([...given.keys()]);
  const text = (name: InputName): string => {
    const value = given.get(name)?.trim() ?? "";
    // An expression that came to nothing, such as an unset variable, means the same as a line left
    // out.
    return value === "" ? staticDefault(name) : value;
  };
  const optional = <T>(name: InputName, parse: (name: InputName, value: string) => T): T | null =>
    text(name) === "" ? null : parse(name, text(name));

  const mode = oneOf("mode", text("mode"), MODES);
  refuseOfOtherModes(mode, text);
  const inputs: Inputs = {
    mode,
    token: text("token"),
    key: matching("key", text("key"), /^[A-Za-z0-9._-]{1,64}$/),
    config: path("config", text("config")),
    workingDirectory: path("working-directory", text("working-directory")),
    services: optional("services", names),
    compare: optional("compare", (name, value) => oneOf(name, value, COMPARE_MODES)),
    reference: optional("reference", (name, value) => matching(name, value, /^[^-\s][^\s]*$/)),
    seed: optional("seed", (name, value) => wholeNumber(name, value, { least: 0, most: MAX_SEED })),
    timeBudgetMs: optional("time-budget", duration),
    measureUnchanged:
      oneOf("measure-unchanged", text("measure-unchanged"), ["true", "false"] as const) === "true",
    lockTimeoutMs: duration("wait", text("wait")),
    rounds: wholeNumber("rounds", text("rounds"), { least: 8, most: 500 }),
    continues: oneOf("resume", text("resume"), ["auto", "off"] as const) === "auto",
    out: path("output-folder", text("output-folder")),
    exports: optional("exports", formats) ?? [],
    inconclusive: oneOf("inconclusive", text("inconclusive"), ["fail", "pass"] as const),
    comment: oneOf("comment", text("comment"), COMMENT_POLICIES),
    status: oneOf("status", text("status"), STATUS_POLICIES),
    artifactName: matching("artifact-name", text("artifact-name"), /^[^":<>|*?\r\n\\/]{1,200}$/),
    workflow: matching("workflow", text("workflow"), /^\.github\/workflows\/[^/\s]+\.ya?ml$/),
    shards: optional("shards", (name, value) =>
      wholeNumber(name, value, { least: 1, most: MAX_SHARDS }),
    ),
    shard: optional("shard", parseShard),
    shardsFolder: optional("shards-folder", path),
    issueLabel: matching("issue-label", text("issue-label"), /^[^,\r\n]{1,50}$/),
    needs: optional("needs", endedJobs),
    historyPlace: placeOf("history", text("history")),
    recordFolder: optional("record-folder", path),
  };
  refuseContradictions(inputs);
  return inputs;
}

/**
 * A default that is an expression is filled in by the runner; where there is no runner it stands
 * for nothing.
 */
function staticDefault(name: InputName): string {
  const { default: value = "" } = INPUTS[name];
  return value.startsWith("${{") ? "" : value;
}

function refuseUnknown(given: readonly string[]): void {
  const unknown = given.find((name) => !Object.hasOwn(INPUTS, name));
  if (unknown === undefined) return;
  const near = nearest(unknown, INPUT_NAMES);
  throw new UserError(`there is no input \`${unknown}\``, {
    next:
      near === null
        ? `Remove it from \`with:\`. There are: ${INPUT_NAMES.join(", ")}.`
        : `Did you mean \`${near}\`? Write:\n${withYaml(near, INPUTS[near as InputName].example)}`,
  });
}

/** An input that has no effect is a misunderstanding, and better said than ignored. */
function refuseOfOtherModes(mode: Mode, text: (name: InputName) => string): void {
  for (const name of INPUT_NAMES) {
    const { modes, default: value } = INPUTS[name];
    if (modes.includes(mode) || text(name) === value || text(name) === "") continue;
    throw new UserError(`the input \`${name}\` has no effect with \`mode: ${mode}\``, {
      next: `Remove the line \`${name}:\`, or use a mode that looks at it: ${modes.join(", ")}.`,
    });
  }
}

function refuseContradictions(inputs: Inputs): void {
  const { mode, shard, shards, shardsFolder, services, needs, recordFolder, exports } = inputs;
  if (mode === "plan" && shards === null) throw missing("shards", mode);
  if (mode === "merge" && shardsFolder === null) throw missing("shards-folder", mode);
  if (recordFolder !== null && needs === null) throw missing("needs", mode);
  if (shard !== null && services !== null) {
    throw new UserError("`shard` and `services` both choose the services", {
      next: "Remove one of the two lines; shards are always of all services.",
    });
  }
  if (shard !== null && exports.length > 0) {
    throw new UserError("`exports` has no effect on a shard, which judges nothing", {
      next: "Move the line to the job with `mode: merge`.",
    });
  }
}

function formats(name: InputName, value: string): ExportFormat[] {
  return names(name, value).map((word) => oneOf(name, word, EXPORT_FORMATS));
}

function missing(name: InputName, mode: Mode): UserError {
  return new UserError(`\`mode: ${mode}\` needs the input \`${name}\``, {
    next: `Write:\n${withYaml(name, INPUTS[name].example, mode)}`,
  });
}

function wrong(name: InputName, value: string): UserError {
  const { expects, example } = INPUTS[name];
  return new UserError(`the input \`${name}\` is ${showValue(value)}, expected ${expects}`, {
    next: `Write, for example:\n${withYaml(name, example)}`,
  });
}

function withYaml(name: string, example: string, mode?: Mode): string {
  return [
    "with:",
    ...(mode === undefined ? [] : [`  mode: ${mode}`]),
    `  ${name}: ${example}`,
  ].join("\n");
}

function oneOf<T extends string>(name: InputName, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const near = nearest(value, allowed);
  const error = wrong(name, value);
  if (near === null) throw error;
  throw new UserError(error.message, {
    next: `Did you mean ${near}? Write:\n${withYaml(name, near)}`,
  });
}

function matching(name: InputName, value: string, pattern: RegExp): string {
  if (pattern.test(value)) return value;
  throw wrong(name, value);
}

function path(name: InputName, value: string): string {
  const inside = relativePath(value);
  if (inside === null) throw wrong(name, value);
  return inside;
}

function placeOf(name: InputName, value: string): HistoryPlace {
  const place = parseHistoryPlace(value);
  if (place === null) throw wrong(name, value);
  return place;
}

function names(name: InputName, value: string): string[] {
  const list = value
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (list.length === 0 || list.some((word) => /\s/.test(word))) throw wrong(name, value);
  return [...new Set(list)];
}

function duration(name: InputName, value: string): number {
  const parsed = parseDuration(value);
  if (!parsed.ok || parsed.value <= 0) throw wrong(name, value);
  return parsed.value;
}

function wholeNumber(
  name: InputName,
  value: string,
  { least, most }: { least: number; most: number },
): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw wrong(name, value);
}

const Needs = z.record(
  z.string(),
  z.object({
    result: z.string(),
    outputs: z.object({ verdict: z.string(), headline: z.string() }).partial(),
  }),
);

function endedJobs(name: InputName, value: string): EndedJob[] {
  const parsed = Needs.safeParse(tryJson(value));
  const jobs = Object.entries(parsed.data ?? {});
  if (jobs.length === 0) throw wrong(name, value);
  return jobs.map(([job, { result, outputs }]) => ({
    name: job,
    result,
    verdict: outputs.verdict ?? "",
    headline: outputs.headline ?? "",
  }));
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseShard(name: InputName, value: string): Shard {
  const [, index, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(value) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= MAX_SHARDS) return shard;
  throw wrong(name, value);
}
