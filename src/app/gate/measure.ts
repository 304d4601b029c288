// `measure`: both arms of every service that differs in them, then the rotation. Writes the samples
// file as rounds end.

import { runnerFactsOf } from "../../core/calibration/expect.ts";
import { neededDependencies } from "../../core/config/needed-dependencies.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Config } from "../../core/model/config.ts";
import type { Finding } from "../../core/model/host.ts";
import type { Profile } from "../../core/model/profile.ts";
import { ARMS, type Samples, type Unchanged } from "../../core/model/samples.ts";
import { askedOf, gatingCount, listHypotheses } from "../../core/verdict/hypotheses.ts";
import { writeSamples } from "../documents/samples.ts";
import { beginRun } from "../machine/begin-run.ts";
import { underLock } from "../machine/machine-lock.ts";
import {
  assertRunnable,
  lookAtMachine,
  type PreparedRun,
  type RunPlan,
  withPrepared,
  withWorkFolder,
} from "../machine/prepared-run.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import {
  type ArmSetups,
  candidateOf,
  type ResolvedArms,
  recipeOf,
  resolveArms,
  revisionFor,
  targetsOf,
} from "./arm-setup.ts";
import { measureRounds } from "./measure-rounds.ts";
import { continued, type Earlier, earlierRun, withDependencies } from "./resume.ts";
import type { ScreenLimits } from "./rotation.ts";
import { findIrreproducible, findUnchanged, unchangedPorts } from "./unchanged.ts";

export interface MeasureRequest {
  project: Project;
  baselines: readonly Baseline[];
  compare: Samples["run"]["compare"];
  /** The samples file. */
  path: string;
  /** What is gone on with; absent: what the project's `resume` says. */
  earlier?: Earlier | null;
  /** What is known of this runner; its expectations go into the samples. */
  profile?: Profile | null;
  /** `same`: identical arms. */
  arms?: "same";
  /** The arms, where they were resolved before. */
  resolved?: ResolvedArms;
  /** So many rounds of everything, whatever they show. Absent: until every question is answered. */
  rounds?: number;
  /** How many of a service's rounds count to those; absent: all that hold its whole load. */
  counted?(samples: Samples, service: string): number;
  /** The run is a screen. */
  screen?: ScreenLimits;
  /** What is measured next, without letting go of the machine; null: nothing. */
  next?(samples: Samples): MeasureRequest | null;
  /** Of the time budget, spent before on a screen of the same change; default 0. */
  spentMs?: number;
}

/** Alone on this machine from its preparation to its last round, those of `next` included. */
export async function measure(request: MeasureRequest, environment: Environment): Promise<Samples> {
  environment.progress.stage("prepare");
  const planned = await planRun(request, environment);
  if (planned.plan.jobs.length === 0) return nothingMeasured(request, planned, environment);
  assertRunnable(planned.plan, environment);
  return await underLock(request.project, environment, async () => {
    const samples = await measureAlone(request, planned, environment);
    const next = request.next?.(samples) ?? null;
    if (next === null) return samples;
    environment.progress.stage("prepare");
    return await measureAlone(next, await planRun(next, environment), environment);
  });
}

interface PlannedRun {
  earlier: Earlier | null;
  arms: ArmSetups;
  /** Known to be the same in both arms; once the services are built it may be more of them. */
  unchanged: Unchanged[];
  plan: RunPlan;
}

async function planRun(request: MeasureRequest, environment: Environment): Promise<PlannedRun> {
  const { project } = request;
  const { config } = project;
  const earlier =
    request.earlier === undefined
      ? earlierRun(project.resume, request.path, environment.progress.note)
      : request.earlier;
  const arms = await resolveArms(request, environment);
  const ports = unchangedPorts(project);
  const names = config.services.map(({ name }) => name);
  // A run that is resumed leaves out what it left out.
  const may =
    earlier === null ? names : (earlier.samples.unchanged ?? []).map(({ service }) => service);
  const skippable = project.measureUnchanged ? [] : may;
  const unchanged = await findUnchanged(skippable, arms, ports);
  tell(unchanged, environment);
  const left = () => {
    const services = names.filter((name) => unchanged.every(({ service }) => service !== name));
    const recipes = Object.values(arms).flatMap((arm) =>
      services.map((name) => recipeOf(arm, name)),
    );
    return {
      services,
      scenarios: config.scenarios.filter(({ service }) => services.includes(service)),
      needed: neededDependencies(config, recipes),
    };
  };
  const { services, scenarios, needed } = left();
  const plan: RunPlan = {
    project,
    scenarios,
    needed,
    jobs: ARMS.flatMap((arm) => {
      const setup = arms[arm];
      if (setup === undefined) return [];
      return services.map((service) => ({
        arm,
        service,
        revision: revisionFor(setup, service),
        recipe: recipeOf(setup, service),
      }));
    }),
    arms: { ...arms, candidate: candidateOf(arms) },
    narrow: async (artifacts) => {
      const findings = (await findIrreproducible(services, arms, ports, artifacts)).map(
        irreproducible,
      );
      for (const { text } of findings) environment.progress.note(text);
      const more = await findUnchanged(
        services.filter((service) => skippable.includes(service)),
        arms,
        ports,
        artifacts,
      );
      tell(more, environment);
      unchanged.push(...more);
      return { ...left(), findings };
    },
  };
  return { earlier, arms, unchanged, plan };
}

function tell(unchanged: readonly Unchanged[], { progress }: Environment): void {
  for (const { service } of unchanged) {
    progress.note(`${service} is unchanged: the same build in both arms (see --measure-unchanged)`);
  }
}

function irreproducible(service: string): Finding {
  const text = `${service} is built from equal sources, yet the artifacts differ: builds are not reproducible, so that it is measured whatever a change touches; docs/reproducible-builds.md has the usual causes`;
  return { id: "builds", level: "note", text, fix: null };
}

function nothingMeasured(
  request: MeasureRequest,
  planned: PlannedRun,
  environment: Environment,
): Samples {
  const machine = lookAtMachine(request.project.config, "", []);
  const prepared = { ...machine, artifacts: [] };
  return concluded(begin(request, planned, prepared, environment).begun, request);
}

/** With every service unchanged no question is open. */
function concluded(samples: Samples, { path }: MeasureRequest): Samples {
  const done: Samples = {
    ...samples,
    run: { ...samples.run, state: "complete", ended: "answered" },
  };
  writeSamples(path, done);
  return done;
}

async function measureAlone(
  request: MeasureRequest,
  planned: PlannedRun,
  environment: Environment,
): Promise<Samples> {
  const { path, baselines, rounds, counted, screen } = request;
  const { arms, plan } = planned;
  return await withPrepared(plan, environment, async (prepared) => {
    const { artifacts } = prepared;
    const beginning = begin(request, planned, prepared, environment);
    if (prepared.scenarios.length === 0) return concluded(beginning.begun, request);
    return await withWorkFolder(prepared, environment, async (place) => {
      const { dependencies } = place;
      return await measureRounds(
        {
          samples: withDependencies(beginning, dependencies.facts()),
          baselines,
          history: request.project.history,
          prepared,
          place,
          targets: (service) => targetsOf(service, arms, artifacts, dependencies),
          keep: (samples) => writeSamples(path, samples),
          rounds,
          counted,
          screen,
        },
        environment,
      );
    });
  });
}

/** The samples without a round, or as an earlier session left them. */
function begin(
  request: MeasureRequest,
  { earlier, arms, unchanged }: PlannedRun,
  prepared: Pick<PreparedRun, "host" | "cpuSets" | "artifacts">,
  environment: Environment,
): { begun: Samples; fresh: Samples; earlier: Earlier | null } {
  const { host, cpuSets } = prepared;
  const config = configFor(request.project, unchanged);
  const candidate = candidateOf(arms).revision.source;
  const fresh: Samples = {
    schema: "tailgate.samples.v1",
    tool: `tailgate ${environment.version}`,
    run: {
      ...beginRun(environment.clock.wallTime(), config.seed),
      compare: request.compare,
      measuredMs: request.spentMs ?? 0,
    },
    host,
    cpuSets,
    config,
    sources: { candidate, ...referencesOf(arms) },
    artifacts: prepared.artifacts.map(({ facts }) => facts),
    ...(unchanged.length === 0 ? {} : { unchanged }),
    ...(request.profile == null
      ? {}
      : { runner: runnerFactsOf(request.profile, config, host.fingerprint) }),
    rounds: [],
  };
  return { begun: earlier === null ? fresh : continued(earlier, fresh), fresh, earlier };
}

function referencesOf({ reference }: ArmSetups): Omit<Samples["sources"], "candidate"> {
  if (reference === undefined) return { reference: null };
  const others = Object.entries(reference.revisions ?? {}).map(
    ([service, { source }]) => [service, source] as const,
  );
  return {
    reference: reference.revision.source,
    ...(others.length === 0 ? {} : { references: Object.fromEntries(others) }),
  };
}

/**
 * A shard does not know what the others leave out: each of its questions keeps its share of the
 * false-alarm chance, so that what is answered in it is answered when all are judged together.
 */
export function configFor({ config, isShard }: Project, unchanged: readonly Unchanged[]): Config {
  const asked = gatingCount(askedOf({ config, unchanged: [...unchanged] }));
  if (!isShard || asked === 0) return config;
  const { policy } = config;
  const alpha = (policy.alpha * asked) / gatingCount(listHypotheses(config));
  return { ...config, policy: { ...policy, alpha } };
}
