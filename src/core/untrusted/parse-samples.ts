// Samples and manifests from untrusted JSON: strict schemas, then plausibility.
import * as z from "zod";
import { messageOf } from "../base/errors.ts";
import { describeIssues } from "../base/issues.ts";
import { showValue } from "../base/show-value.ts";
import type { JsonLimits, Manifest } from "../model/manifest.ts";
import { ManifestSchema } from "../model/manifest.ts";
import {
  type Round,
  RoundSchema,
  type Samples,
  SamplesSchema,
  type ScenarioRound,
  ScenarioRoundSchema,
} from "../model/samples.ts";
import { implausible, MAX_ROUNDS } from "./implausible.ts";
import { parseUntrustedJson } from "./parse-json.ts";
import { type Problem, problem } from "./problem.ts";

/** The configuration with its bodies, the machine, the builds: all but the rounds. */
const MAX_FRAME_CHARS = 2 * 1024 * 1024;

/** Violations of the schema that are listed. */
const MAX_LISTED = 10;

/** `name` is the file's, for messages. */
export function parseUntrustedSamples(
  text: string,
  name: string,
  limits: JsonLimits,
): { kind: "samples"; samples: Samples } | Problem {
  const json = parseUntrustedJson(text, name, limits, "rounds");
  if (json.kind === "problem") return json;
  let checked: Checked<Samples>;
  try {
    checked = checkInPieces(json.value, json.elements);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return problem(`${name} is not JSON: ${messageOf(error)}`);
  }
  if (checked.kind === "violation") {
    return violated(`${name} is not a samples file of this version`, checked);
  }
  const trouble = implausible(checked.value);
  return trouble === null
    ? { kind: "samples", samples: checked.value }
    : problem(`${name} cannot come from a measurement: ${trouble}`);
}

export function parseUntrustedManifest(
  text: string,
  name: string,
  limits: JsonLimits,
): { kind: "manifest"; manifest: Manifest } | Problem {
  const json = parseUntrustedJson(text, name, limits);
  if (json.kind === "problem") return json;
  const checked = check(ManifestSchema, json.value, "");
  return checked.kind === "valid"
    ? { kind: "manifest", manifest: checked.value }
    : violated(`${name} is not a manifest of this version`, checked);
}

type Checked<T> = { kind: "valid"; value: T } | Violation;

interface Violation {
  kind: "violation";
  at: string;
  lines: string[];
}

/** Checks piece by piece up to the first violation: the schema would collect millions. */
function checkInPieces(rawFrame: unknown, rawRounds: Iterable<unknown>): Checked<Samples> {
  if (JSON.stringify(rawFrame).length > MAX_FRAME_CHARS) {
    return violation("", [`more than ${MAX_FRAME_CHARS} characters beside the rounds`]);
  }
  const frame = check(SamplesSchema, rawFrame, "");
  if (frame.kind === "violation") return frame;
  const rounds: Round[] = [];
  const perService = new Map<string, number>();
  for (const rawRound of rawRounds) {
    const at = `rounds[${rounds.length}].`;
    const { list: rawScenarios, rest } = setApart(rawRound, "scenarios");
    const round = check(RoundSchema, rest, at);
    if (round.kind === "violation") return round;
    const { service } = round.value;
    const count = (perService.get(service) ?? 0) + 1;
    perService.set(service, count);
    if (count > MAX_ROUNDS) {
      return violation("", [`more than ${MAX_ROUNDS} rounds of ${showValue(service)}`]);
    }
    const scenarios: ScenarioRound[] = [];
    for (const [turn, rawScenario] of rawScenarios.entries()) {
      const scenario = check(ScenarioRoundSchema, rawScenario, `${at}scenarios[${turn}].`);
      if (scenario.kind === "violation") return scenario;
      scenarios.push(scenario.value);
    }
    rounds.push({ ...round.value, scenarios });
  }
  return { kind: "valid", value: { ...frame.value, rounds } };
}

/** The array under `key`, and the object without its elements. */
function setApart(raw: unknown, key: string): { list: readonly unknown[]; rest: unknown } {
  if (typeof raw !== "object" || raw === null || !Object.hasOwn(raw, key)) {
    return { list: [], rest: raw };
  }
  const list = (raw as Record<string, unknown>)[key];
  return Array.isArray(list) ? { list, rest: { ...raw, [key]: [] } } : { list: [], rest: raw };
}

function check<T>(schema: z.ZodType<T>, raw: unknown, at: string): Checked<T> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { kind: "valid", value: parsed.data };
  const first = new z.ZodError(parsed.error.issues.slice(0, MAX_LISTED));
  return violation(at, describeIssues(first, raw));
}

function violation(at: string, lines: string[]): Violation {
  return { kind: "violation", at, lines };
}

function violated(what: string, { at, lines: [first = "", ...rest] }: Violation): Problem {
  return problem(`${what}: ${at}${first}`, rest.map((line) => at + line).join("\n"));
}
