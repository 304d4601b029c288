// Which of the configured dependencies a run has to start.
import { UserError } from "../base/errors.ts";
import type { Config, Dependency, Recipe } from "../model/config.ts";

/**
 * Those that any service of this run needs, in the configuration's order; `recipes` are those of
 * both arms.
 */
export function neededDependencies(
  config: Config,
  recipes: readonly Recipe[] = config.services.map(({ recipe }) => recipe),
): Dependency[] {
  const names = new Set(recipes.flatMap(({ needs }) => needs));
  const missing = [...names].find((name) => !config.dependencies.some((one) => one.name === name));
  if (missing !== undefined) {
    throw new UserError(
      `the reference needs ${missing}, which the candidate's configuration does not define`,
      { next: "Leave its definition under `dependencies` until the change is merged." },
    );
  }
  return config.dependencies.filter(({ name }) => names.has(name));
}
