// Measures two services of the working tree against each other, in as many rounds as are asked for.
// Writes the samples file as rounds end. How they run is the gate's affair.
import { existsSync } from "node:fs";
import type { Choice } from "../../core/comparison/choice.ts";
import { asPaired, fromPaired } from "../../core/comparison/compare.ts";
import type { ComparisonSamples } from "../../core/comparison/model.ts";
import { ARMS, type Arm } from "../../core/model/samples.ts";
import { writeSamples } from "../documents/samples.ts";
import { measureRounds } from "../gate/measure-rounds.ts";
import { beginRun } from "../machine/begin-run.ts";
import { targetOf } from "../machine/dependencies.ts";
import { type RunPlan, withMachine, withWorkFolder } from "../machine/prepared-run.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";

interface ComparisonRequest {
  project: Project;
  choice: Choice;
  rounds: number;
  /** The samples file. */
  path: string;
}

export async function measureServices(
  { project, choice, rounds, path }: ComparisonRequest,
  environment: Environment,
): Promise<ComparisonSamples> {
  const { progress, clock } = environment;
  const { config, pair } = choice;

  progress.stage("prepare");
  if (existsSync(path)) progress.note(`${path} is of an earlier comparison and will be replaced`);
  const revision = await project.candidate();
  const plan: RunPlan = {
    project,
    scenarios: config.scenarios,
    needed: config.dependencies,
    jobs: ARMS.map((arm) => {
      const { name, recipe } = choice[arm];
      return { arm, service: name, group: pair, revision, recipe };
    }),
    arms: { candidate: { revision }, reference: { revision } },
  };
  return await withMachine(plan, project, environment, async (prepared) => {
    const { host, cpuSets } = prepared;
    const [candidate, reference] = prepared.artifacts;
    if (candidate === undefined || reference === undefined) {
      throw new Error("nothing was built");
    }
    const artifacts = { candidate, reference };
    const samples: ComparisonSamples = {
      schema: "tailgate.comparison-samples.v1",
      tool: `tailgate ${environment.version}`,
      run: { ...beginRun(clock.wallTime(), config.seed), compare: "services" },
      services: { candidate: choice.candidate.name, reference: choice.reference.name },
      pair,
      host,
      cpuSets,
      config,
      sources: { candidate: revision.source, reference: revision.source },
      artifacts: ARMS.map((arm) => artifacts[arm].facts),
      rounds: [],
    };

    return await withWorkFolder(prepared, environment, async (place) => {
      const { dependencies } = place;
      const begun = { ...samples, dependencies: dependencies.facts() };
      const target = (arm: Arm) => targetOf(choice[arm].recipe, artifacts[arm], dependencies);
      const targets = { candidate: target("candidate"), reference: target("reference") };
      return fromPaired(
        begun,
        await measureRounds(
          {
            samples: asPaired(begun),
            baselines: [],
            prepared,
            place,
            targets: () => targets,
            keep: (paired) => writeSamples(path, fromPaired(begun, paired)),
            goal: { kind: "rounds", rounds },
          },
          environment,
        ),
      );
    });
  });
}
