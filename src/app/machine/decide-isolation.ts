// Whether the arms can share a database of which nobody has said so: they cannot if a first start
// and first requests of either write to it. Before anything is measured.
import type { Scenario } from "../../core/model/config.ts";
import type { CpuSets } from "../../core/model/host.ts";
import { splitIntoParts } from "../../core/model/mix.ts";
import type { Arm, Written } from "../../core/model/samples.ts";
import { describeIsolation } from "../../core/report/provenance.ts";
import { type LoadGenerator, sendBy } from "../../core/slice/load.ts";
import { Secrets } from "../../core/text/secrets.ts";
import type { BuildJob, BuiltArtifact } from "../../machine/build/build.ts";
import type { DataState, Undecided } from "../../machine/run/dependency/dependency.ts";
import type { RunningDependencies } from "../../machine/run/dependency/running-dependencies.ts";
import { throwIfStopped } from "../../machine/run/dependency/start.ts";
import { masked } from "../../machine/run/load/masked.ts";
import { fillScenarios } from "../../machine/run/service/fill-scenarios.ts";
import { launchService } from "../../machine/run/service/launch.ts";
import { addressOf } from "../../machine/run/service/running-service.ts";
import type { Environment } from "../settings.ts";
import { targetOf } from "./dependencies.ts";

/** Of each scenario, to see whether its requests write. */
const FIRST_REQUESTS = 10;

/** What the first starts are made of. */
interface FirstStarts {
  jobs: readonly BuildJob[];
  /** Of the jobs, in their order. */
  artifacts: readonly BuiltArtifact[];
  scenarios: readonly Scenario[];
  generator: LoadGenerator;
  cpuSets: CpuSets;
}

interface Place {
  dependencies: RunningDependencies;
  /** For the generator's files. */
  folder: string;
}

export async function decideIsolation(
  prepared: FirstStarts,
  place: Place,
  environment: Environment,
): Promise<void> {
  const { abort, progress } = environment;
  const { dependencies } = place;
  const open = new Map(dependencies.undecided().map(({ name, data }) => [name, data]));
  // A candidate may write where the reference does not: a new migration, a new counter.
  const jobs = prepared.jobs.map((job, i) => ({ job, built: prepared.artifacts[i] }));
  const referenceFirst = jobs.toSorted((a, b) => rank(a.job) - rank(b.job));
  for (const { job, built } of referenceFirst) {
    const { arm, service } = job;
    const asked = [...open].filter(([name]) => job.recipe.needs.includes(name));
    if (asked.length === 0 || built === undefined) continue;
    progress.status(`${service} (${arm}): a first start, to see whether it writes`);
    // A server that fails now is gone in the first round, which says so.
    if ((await dependencies.reset(arm)) !== null) continue;
    const before = await Promise.all(asked.map(([, data]) => tryLook(data, arm)));
    await startAndAsk(job, built, prepared, place, environment);
    throwIfStopped(abort);
    for (const [i, [name, data]] of asked.entries()) {
      const earlier = before[i] ?? null;
      const now = await tryLook(data, arm);
      if (earlier === null || now === null) continue;
      const transactions = now.transactions - earlier.transactions;
      if (transactions === 0) continue;
      const schemaChanged = now.schema !== earlier.schema;
      const written: Written = { service, arm, transactions, schemaChanged };
      data.decide(written);
      open.delete(name);
    }
  }
  for (const data of open.values()) data.decide(null);
  for (const facts of dependencies.facts()) {
    const { name, written } = facts;
    if (written !== undefined) progress.note(`${name}: ${describeIsolation(facts)}`);
  }
}

async function tryLook(data: Undecided, arm: Arm): Promise<DataState | null> {
  try {
    return await data.look(arm);
  } catch {
    return null;
  }
}

function rank({ arm }: BuildJob): number {
  return arm === "reference" ? 0 : 1;
}

/** What goes wrong here goes wrong in the first round, which judges it. */
async function startAndAsk(
  job: BuildJob,
  built: BuiltArtifact,
  { scenarios, generator, cpuSets }: FirstStarts,
  place: Place,
  { clock, abort, progress }: Environment,
): Promise<void> {
  const { recipe, service, group } = job;
  const target = targetOf(recipe, built, place.dependencies);
  const secrets = new Secrets();
  const launched = await launchService(target, {
    cpus: cpuSets.service,
    clock,
    abort,
    secrets,
    onSecret: (value) => progress.secret(value),
  });
  if (launched.kind === "failed") return;
  try {
    const loads = scenarios.filter((scenario) => scenario.service === (group ?? service));
    // Each part of a mix: the rarest may be all that writes.
    const parts = splitIntoParts(loads);
    const result = fillScenarios(parts, launched.service.values);
    if (!result.ok) return;
    for (const part of parts) {
      const scenario = result.filled.get(part.id) ?? part;
      await sendBy(masked(generator, secrets), {
        scenario: { ...scenario, connections: Math.min(scenario.connections, FIRST_REQUESTS) },
        ...addressOf(launched.service),
        requests: FIRST_REQUESTS,
        cpus: cpuSets.generator,
        folder: place.folder,
        abort,
      });
    }
  } finally {
    await launched.service.stop();
  }
}
