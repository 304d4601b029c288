// Which of the configured dependencies a run has to start.
import { UserError } from "../base/errors.ts";
import type { Config, Dependency, Recipe } from "../model/config.ts";

/**
 * Those that any service of this run needs, or a service that fills one of them, in the
 * configuration's order; `recipes` are those of both arms.
 */
export function neededDependencies(
  config: Config,
  recipes: readonly Recipe[] = config.services.map(({ recipe }) => recipe),
): Dependency[] {
  const names = new Set(recipes.flatMap(({ needs }) => needs));
  // A set that grows is walked to its end.
  for (const name of names) {
    const needed = config.dependencies.find((one) => one.name === name);
    if (needed === undefined) {
      throw new UserError(
        `the reference needs ${name}, which the candidate's configuration does not define`,
        { next: "Leave its definition under `dependencies` until the change is merged." },
      );
    }
    for (const other of seedNeeds(needed)) names.add(other);
  }
  return config.dependencies.filter(({ name }) => names.has(name));
}

function seedNeeds(dependency: Dependency): readonly string[] {
  if (dependency.kind === "program" || dependency.seed?.kind !== "service") return [];
  return dependency.seed.recipe.needs;
}
