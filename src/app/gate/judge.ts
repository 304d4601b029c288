// `judge`: a samples file to a verdict, here or on another machine, with the file's own policy or
// another.
import { resolve } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { asksAuto, withAutoMargins } from "../../core/calibration/auto-margin.ts";
import type { MetricPolicy, Service } from "../../core/model/config.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import type { Report } from "../../core/model/report.ts";
import type { Samples } from "../../core/model/samples.ts";
import { configFromText } from "../config/load.ts";
import { readBaselines } from "../documents/baselines.ts";
import { readText } from "../documents/document.ts";
import { readProfile } from "../documents/profile.ts";
import { readSamples } from "../documents/samples.ts";
import type { Environment } from "../settings.ts";
import { reportOn, writeGateReports } from "./outcome.ts";

interface JudgeRequest {
  samples: string;
  /** Judge with this configuration's policy; null: the samples' own. */
  config: string | null;
  /** Folder of baselines; null: where the samples' configuration says, from the working folder. */
  baselines: string | null;
  /** Of the default branch. */
  history: readonly HistoryRecord[];
  /** Write the reports here; null: write nothing. */
  out: string | null;
}

export async function judgeFile(
  request: JudgeRequest,
  environment: Environment,
): Promise<{ report: Report; files: string[] }> {
  const at = (path: string): string => resolve(environment.workingFolder, path);
  let samples = readSamples(at(request.samples));
  const dir = at(request.baselines ?? samples.config.baselines.dir);
  if (request.config !== null) {
    const { judged, missing } = withPolicyOf(samples, at(request.config));
    const { config, host } = judged;
    const place = { root: "", config: { ...config, baselines: { ...config.baselines, dir } } };
    const profile = asksAuto(config) ? readProfile(place) : null;
    samples = { ...judged, config: withAutoMargins(config, profile, host.fingerprint) };
    if (missing.length > 0) {
      environment.progress.note(`not in these samples, and not judged: ${missing.join(", ")}`);
    }
  }
  const baselines = readBaselines(dir, samples.config);
  const report = reportOn(samples, baselines, request.history);
  if (request.out === null) return { report, files: [] };
  return { report, files: await writeGateReports(at(request.out), report, environment) };
}

const CONFIGURATION = { what: "configuration", next: "Name it with --config." };

/**
 * Policy may change after the fact; what was measured may not. `missing`: scenarios of the
 * configuration that were not measured, as in a run of one service.
 */
function withPolicyOf(samples: Samples, path: string): { judged: Samples; missing: string[] } {
  // Waivers are looked at on the day of the gate, so that judging again says the same on any other.
  const today = samples.run.startedAt.slice(0, 10);
  const config = configFromText(readText(path, CONFIGURATION), path, null, today);
  const measured = new Set(samples.config.scenarios.map(({ id }) => id));
  const missing = config.scenarios.map(({ id }) => id).filter((id) => !measured.has(id));
  if (missing.length > 0 && missing.length === config.scenarios.length) {
    throw new UserError(
      `the samples have no scenario of ${path}, but ${[...measured].join(", ")}`,
      { next: "Judge with a configuration whose scenarios were measured." },
    );
  }
  const { policy, waivers } = config;
  const scenarios = samples.config.scenarios.map((scenario) => ({
    ...scenario,
    ...limitsOf(config.scenarios.find(({ id }) => id === scenario.id)),
  }));
  const services = samples.config.services.map((service) => ({
    ...service,
    ...limitsOf(config.services.find(({ name }) => name === service.name)),
  }));
  const judged = {
    ...samples,
    config: { ...samples.config, services, scenarios, policy, waivers },
  };
  return { judged, missing };
}

/** What is said of it, if only that nothing is; what is not known keeps its own. */
function limitsOf(known: Pick<Service, "metrics"> | undefined): { metrics?: MetricPolicy[] } {
  return known === undefined ? {} : { metrics: known.metrics ?? [] };
}
