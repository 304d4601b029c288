// Samples and manifest from an artifact's JSON: the strict schemas, and then what a schema cannot say: that numbers are such as
// a machine can have measured, that nothing is named twice, and that judging them takes bounded time.
import { z } from "zod";
import { describeIssues } from "../base/issues.ts";
import {
  type Round,
  RoundSchema,
  type Samples,
  SamplesSchema,
  type ScenarioRound,
  ScenarioRoundSchema,
} from "../model/samples.ts";
import type { JsonLimits, Manifest } from "./manifest.ts";
import { ManifestSchema } from "./manifest.ts";
import { parseUntrustedJson } from "./parse-untrusted-json.ts";
import { type Problem, problem } from "./problem.ts";

/** More than any honest run has; each bounds a loop or a list that somebody will look at. */
const MAX_COUNTS = {
  services: 100,
  scenarios: 500,
  /** Of one service; 60 are looked at unless configured otherwise, and failed ones count. */
  rounds: 400,
  findings: 100,
  artifacts: 400,
  looks: 100,
  waivers: 100,
} as const;

/** No name, path or sentence of ours is longer; the tails of logs and the bodies of requests are not names. */
const MAX_NAME_LENGTH = 1000;

/** The configuration with its bodies, the machine, the builds: all but the rounds. */
const MAX_FRAME_CHARS = 2 * 1024 * 1024;

/** Violations of the schema that a person is told. */
const MAX_LISTED = 10;

/** Any measured quantity in its unit: a year in microseconds, a petabyte. Ratios of such numbers have finite logarithms. */
const MAX_MAGNITUDE = 1e15;
const MIN_MAGNITUDE = 1e-6;

export function parseUntrustedSamples(
  text: string,
  name: string,
  limits: JsonLimits,
): { kind: "samples"; samples: Samples } | Problem {
  const json = parseUntrustedJson(text, name, limits);
  if (json.kind === "problem") return json;
  const checked = checkInPieces(json.value);
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
  /** Where in the file the piece is: `rounds[3].`; empty for the file itself. */
  at: string;
  /** The first few. */
  lines: string[];
}

/**
 * The schema, one piece at a time up to the first that violates it: it collects every violation, and of a file made for it
 * there would be millions, which takes minutes or the whole stack.
 */
function checkInPieces(raw: unknown): Checked<Samples> {
  const { list: rawRounds, rest: rawFrame } = setApart(raw, "rounds");
  if (JSON.stringify(rawFrame).length > MAX_FRAME_CHARS) {
    return violation("", [`more than ${MAX_FRAME_CHARS} characters beside the rounds`]);
  }
  const frame = check(SamplesSchema, rawFrame, "");
  if (frame.kind === "violation") return frame;
  const rounds: Round[] = [];
  for (const [index, rawRound] of rawRounds.entries()) {
    const at = `rounds[${index}].`;
    const { list: rawScenarios, rest } = setApart(rawRound, "scenarios");
    const round = check(RoundSchema, rest, at);
    if (round.kind === "violation") return round;
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

/** The array under `key`, and the object with an empty one in its place; what is neither is left for the schema to refuse. */
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

function implausible(samples: Samples): string | null {
  return tooMany(samples) ?? misnamed(samples) ?? immeasurable(samples);
}

function tooMany({ config, rounds, host, artifacts }: Samples): string | null {
  const perService = new Map<string, number>();
  for (const { service } of rounds) perService.set(service, (perService.get(service) ?? 0) + 1);
  const counts: [keyof typeof MAX_COUNTS, number][] = [
    ["services", config.services.length],
    ["scenarios", config.scenarios.length],
    ["rounds", Math.max(0, ...perService.values())],
    ["findings", host.findings.length],
    ["artifacts", artifacts.length],
    ["looks", config.policy.looks.length],
    ["waivers", config.waivers.length],
  ];
  const beyond = counts.find(([what, count]) => count > MAX_COUNTS[what]);
  return beyond === undefined
    ? null
    : `${beyond[1]} ${beyond[0]}, at most ${MAX_COUNTS[beyond[0]]} are taken`;
}

function misnamed({ config, rounds }: Samples): string | null {
  const ids = config.scenarios.map(({ id }) => id);
  const services = config.services.map(({ name }) => name);
  const twice = duplicate(ids) ?? duplicate(services);
  if (twice !== null) return `${shown(twice)} is configured twice`;
  for (const name of [...ids, ...services]) {
    if (name.length > MAX_NAME_LENGTH) return `a name is longer than ${MAX_NAME_LENGTH} characters`;
  }
  const odd = config.scenarios.find(({ id, service, name }) => id !== `${service}/${name}`);
  if (odd !== undefined) return `the scenario ${shown(odd.id)} is not named after its service`;
  const seen = new Set<string>();
  for (const { service, index, scenarios } of rounds) {
    const round = `${service} ${index}`;
    if (seen.has(round)) return `round ${index} of ${shown(service)} stands twice`;
    seen.add(round);
    const again = duplicate(scenarios.map(({ scenario }) => scenario));
    if (again !== null) return `round ${index} has the scenario ${shown(again)} twice`;
  }
  return null;
}

function immeasurable({ rounds, run, host }: Samples): string | null {
  const quantities: number[] = [run.measuredMs, host.fingerprint.memoryGiB];
  for (const round of rounds) {
    quantities.push(round.startedAtMs, round.endedAtMs, round.loadMs);
    for (const launch of [round.launches?.candidate, round.launches?.reference]) {
      quantities.push(...Object.values(launch?.values ?? {}));
    }
    for (const { arms, slices } of round.scenarios) {
      for (const arm of [arms.candidate, arms.reference]) {
        quantities.push(...Object.values(arm?.pooled ?? {}));
        for (const [probability, latencyUs] of arm?.curve ?? []) {
          if (!(probability >= 0 && probability <= 1)) return `a probability of ${probability}`;
          quantities.push(latencyUs);
        }
      }
      for (const { latency, host: shares } of slices) {
        quantities.push(...Object.values(latency ?? {}));
        if (Object.values(shares).some((share = 0) => Math.abs(share) > 1e6)) {
          return "a share of time beyond a million";
        }
      }
    }
    const wrong = quantities.find(outOfRange);
    if (wrong !== undefined)
      return `round ${round.index} of ${shown(round.service)} has the value ${wrong}`;
    quantities.length = 0;
  }
  return null;
}

function outOfRange(value: number): boolean {
  return value !== 0 && !(value >= MIN_MAGNITUDE && value <= MAX_MAGNITUDE);
}

function duplicate(names: readonly string[]): string | null {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size) ?? null;
}

function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}
