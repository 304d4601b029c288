// The step's inputs: text as the runner gives it -> values, or a failure that says which YAML to
// write. Pure.
import * as z from "zod";
import type { ProjectOptions } from "../../app/settings.ts";
import { UserError } from "../../core/base/errors.ts";
import { nearest } from "../../core/base/nearest.ts";
import { showValue } from "../../core/base/show-value.ts";
import { tryJson } from "../../core/base/try-json.ts";
import { relativePath } from "../../core/config/relative-path.ts";
import { parseDuration } from "../../core/config/units.ts";
import { COMPARE_MODES } from "../../core/model/config.ts";
import { EXPORT_FORMATS } from "../../core/model/export.ts";
import type { EndedJob } from "../../core/model/night.ts";
import { MAX_SHARDS } from "../../core/model/samples.ts";
import { parseShard } from "../../core/plan/shards.ts";
import { COMMENT_POLICIES } from "../../core/report/pull-request/plan-comment.ts";
import { INPUT_NAMES, INPUTS, type InputName, MODES, type Mode } from "./contract.ts";
import { parseHistoryPlace } from "./history-place.ts";

/** One of `of` equal shards; both count from 1. */
export type Shard = NonNullable<ProjectOptions["shard"]>;

const MAX_SEED = 0xffffffff;

/**
 * `given` has every input that the runner hands over, by name in lower case; what is absent has its
 * default.
 */
export function parseInputs(given: ReadonlyMap<string, string>) {
  refuseUnknown([...given.keys()]);
  const text = (name: InputName): string => {
    const value = given.get(name)?.trim() ?? "";
    // An expression that came to nothing, such as an unset variable, means the same as a line left
    // out.
    return value === "" ? staticDefault(name) : value;
  };
  const read = <T>(name: InputName, parse: (value: string) => T | null): T => {
    const parsed = parse(text(name));
    if (parsed === null) throw wrong(name, text(name));
    return parsed;
  };
  const optional = <T>(name: InputName, parse: (value: string) => T | null): T | null =>
    text(name) === "" ? null : read(name, parse);
  const choice = <T extends string>(name: InputName, allowed: readonly T[]): T =>
    oneOf(name, text(name), allowed);

  const mode = choice("mode", MODES);
  refuseOfOtherModes(mode, text);
  /** What a project is opened with, under the same names. */
  const project = {
    /** `/`-separated, without `..`, like every path here. */
    config: read("config", relativePath),
    services: optional("services", names),
    compare: text("compare") === "" ? null : choice("compare", COMPARE_MODES),
    reference: optional("reference", matching(/^[^-\s][^\s]*$/)),
    seed: optional("seed", wholeNumber(0, MAX_SEED)),
    timeBudgetMs: optional("time-budget", duration),
    measureUnchanged: choice("measure-unchanged", ["true", "false"]) === "true",
    lockTimeoutMs: read("wait", duration),
    out: read("output-folder", relativePath),
    shard: optional("shard", parseShard),
  } satisfies Required<Omit<ProjectOptions, "resume" | "answerAll" | "noExplain" | "history">>;
  const inputs = {
    ...project,
    mode,
    /** Empty when the workflow gives none. */
    token: text("token"),
    key: read("key", matching(/^[A-Za-z0-9._-]{1,64}$/)),
    workingDirectory: read("working-directory", relativePath),
    /** Of a calibration. */
    rounds: read("rounds", wholeNumber(8, 500)),
    /** Whether a job's next attempt goes on with what the attempt before measured. */
    continues: choice("resume", ["auto", "off"]) === "auto",
    exports: (optional("exports", names) ?? []).map((one) => oneOf("exports", one, EXPORT_FORMATS)),
    inconclusive: choice("inconclusive", ["fail", "pass"]),
    comment: choice("comment", COMMENT_POLICIES),
    status: choice("status", ["auto", "always", "never"]),
    artifactName: read("artifact-name", matching(/^[^":<>|*?\r\n\\/]{1,200}$/)),
    commit: optional("commit", matching(/^[0-9a-f]{40,64}$/)),
    workflow: read("workflow", matching(/^\.github\/workflows\/[^/\s]+\.ya?ml$/)),
    shards: optional("shards", wholeNumber(1, MAX_SHARDS)),
    shardsFolder: optional("shards-folder", relativePath),
    issueLabel: read("issue-label", matching(/^[^,\r\n]{1,50}$/)),
    needs: optional("needs", endedJobs),
    historyPlace: read("history", parseHistoryPlace),
    recordFolder: optional("record-folder", relativePath),
  };
  refuseContradictions(inputs);
  return inputs;
}

/** Null is what was not given. */
export type Inputs = ReturnType<typeof parseInputs>;

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
        : `Did you mean \`${near}\`? Write:\n${withYaml(near as InputName)}`,
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
  if (mode === "report" && inputs.commit === null && services !== null) {
    throw missing("commit", mode);
  }
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

function missing(name: InputName, mode: Mode): UserError {
  return new UserError(`\`mode: ${mode}\` needs the input \`${name}\``, {
    next: `Write:\n${withYaml(name, { mode })}`,
  });
}

function wrong(name: InputName, value: string): UserError {
  const { expects } = INPUTS[name];
  return new UserError(`the input \`${name}\` is ${showValue(value)}, expected ${expects}`, {
    next: `Write, for example:\n${withYaml(name)}`,
  });
}

function withYaml(name: InputName, { mode, value }: { mode?: Mode; value?: string } = {}): string {
  const { example, default: usual } = INPUTS[name];
  const before = mode === undefined ? "" : `  mode: ${mode}\n`;
  return `with:\n${before}  ${name}: ${value ?? example ?? usual}`;
}

function oneOf<T extends string>(name: InputName, value: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  const near = nearest(value, allowed);
  const error = wrong(name, value);
  if (near === null) throw error;
  const next = `Did you mean ${near}? Write:\n${withYaml(name, { value: near })}`;
  throw new UserError(error.message, { next });
}

function matching(pattern: RegExp): (value: string) => string | null {
  return (value) => (pattern.test(value) ? value : null);
}

function names(value: string): string[] | null {
  const list = value
    .split(/[,\n]/)
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const isList = list.length > 0 && !list.some((word) => /\s/.test(word));
  return isList ? [...new Set(list)] : null;
}

function duration(value: string): number | null {
  const ms = parseDuration(value);
  return ms !== null && ms > 0 ? ms : null;
}

function wholeNumber(least: number, most: number): (value: string) => number | null {
  return (value) => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    return number >= least && number <= most ? number : null;
  };
}

const Needs = z.record(
  z.string(),
  z.object({
    result: z.string(),
    outputs: z.object({ verdict: z.string(), headline: z.string() }).partial(),
  }),
);

function endedJobs(value: string): EndedJob[] | null {
  const jobs = Object.entries(Needs.safeParse(tryJson(value)).data ?? {});
  if (jobs.length === 0) return null;
  return jobs.map(([job, { result, outputs }]) => ({
    name: job,
    result,
    verdict: outputs.verdict ?? "",
    headline: outputs.headline ?? "",
  }));
}
