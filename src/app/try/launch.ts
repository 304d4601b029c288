// Starts a service to see on which port it listens and, where that is not the one that it should
// listen on, how it can be told.
import type { Recipe } from "../../core/model/config.ts";
import type { PortVariable, Told } from "../../core/model/try.ts";
import type { LaunchResult } from "../../machine/run/service/launch.ts";
import type { RunningService } from "../../machine/run/service/running-service.ts";

/** Starts a service by this recipe; the caller stops it. */
type Start = (recipe: Recipe) => Promise<LaunchResult>;

type Launched =
  /** `recipe`: as it was started. */
  | { kind: "ready"; service: RunningService; told: Told; recipe: Recipe }
  | (LaunchResult & { kind: "failed" });

const CONFIGURED: Told = { kind: "configured" };

/** `ports`: variables that are tried in turn. */
export async function launchAndLearnPort(
  recipe: Recipe,
  ports: readonly PortVariable[],
  start: Start,
): Promise<Launched> {
  const first = await tryWay(recipe, CONFIGURED, start);
  if (ports.length === 0) return first;
  if (first.kind === "ready") return await confirm(first, start);
  const [elsewhere, ...more] = first.listening ?? [];
  if (elsewhere === undefined) return first;
  for (const port of ports) {
    const result = await tryWay(recipe, { kind: "variable", ...port }, start);
    if (result.kind === "ready") return await confirm(result, start);
  }
  // It listened there each time, or another time elsewhere: then this start fails.
  if (more.length > 0) return first;
  const last = await tryWay(recipe, { kind: "fixed", port: elsewhere }, start);
  return last.kind === "ready" ? last : first;
}

/** A second start, on another port: the first may have been luck. */
async function confirm(first: Launched & { kind: "ready" }, start: Start): Promise<Launched> {
  if (first.recipe.port !== null) return first;
  await first.service.stop();
  const result = await start(first.recipe);
  return result.kind === "failed" ? result : { ...first, service: result.service };
}

async function tryWay(configured: Recipe, told: Told, start: Start): Promise<Launched> {
  const recipe = withPort(configured, told);
  const result = await start(recipe);
  return result.kind === "failed"
    ? result
    : { kind: "ready", service: result.service, told, recipe };
}

function withPort(recipe: Recipe, told: Told): Recipe {
  if (told.kind === "configured") return recipe;
  if (told.kind === "fixed") return { ...recipe, port: told.port };
  const value = told.form === "port" ? "{port}" : "127.0.0.1:{port}";
  return { ...recipe, port: null, env: { ...recipe.env, [told.name]: value } };
}
