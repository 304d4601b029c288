// Starts a proposed service to see which port it listens on, and whether it takes the one that it
// is told.
import type { Recipe } from "../../../core/model/config.ts";
import type { LaunchOptions, ServiceTarget } from "../../../machine/run/service/launch.ts";
import { launchService } from "../../../machine/run/service/launch.ts";
import type { RunningService } from "../../../machine/run/service/running-service.ts";
import type { PortWay } from "../proposal.ts";

export type Started =
  /** `recipe`: as it was started. */
  | { kind: "running"; service: RunningService; port: PortWay; recipe: Recipe }
  /** `detail`: the last lines that it printed. */
  | { kind: "failed"; text: string; detail: string };

/** What services read that say nowhere what they read, likeliest first. */
const USUAL: readonly [name: string, form: "port" | "address"][] = [
  ["PORT", "port"],
  ["HTTP_PORT", "port"],
  ["SERVER_PORT", "port"],
  ["APP_PORT", "port"],
  ["ADDR", "address"],
  ["LISTEN_ADDR", "address"],
];
/** As long as is proposed for a JVM; what listens elsewhere is seen long before. */
const READY_TIMEOUT_MS = 120_000;

/** The caller stops the service. */
export async function startAndLearnPort(
  target: ServiceTarget,
  proposed: PortWay,
  options: LaunchOptions,
): Promise<Started> {
  const first = await tryWay(target, proposed, options);
  if (first.kind === "running") return await confirm(target, proposed, first.service, options);
  const [elsewhere, ...more] = first.listening ?? [];
  if (elsewhere === undefined) return first;
  for (const [name, form] of USUAL) {
    if (options.abort.aborted) return first;
    if (proposed.kind === "variable" && proposed.name === name) continue;
    const way: PortWay = { kind: "variable", name, form, seenIn: null };
    const result = await tryWay(target, way, options);
    if (result.kind === "running") return await confirm(target, way, result.service, options);
  }
  // It listened there each time, or another time elsewhere: then this start fails.
  if (more.length > 0) return first;
  const fixed: PortWay = { kind: "fixed", port: elsewhere, seenIn: null };
  const last = await tryWay(target, fixed, options);
  return last.kind === "running" ? running(target, fixed, last.service) : first;
}

/** A second start, on another port: the first may have been luck. */
async function confirm(
  target: ServiceTarget,
  port: PortWay,
  service: RunningService,
  options: LaunchOptions,
): Promise<Started> {
  if (port.kind === "fixed") return running(target, port, service);
  await service.stop();
  const again = await tryWay(target, port, options);
  return again.kind === "running" ? running(target, port, again.service) : again;
}

function running({ recipe }: ServiceTarget, port: PortWay, service: RunningService): Started {
  return { kind: "running", service, port, recipe: withPort(recipe, port) };
}

async function tryWay({ recipe, ...place }: ServiceTarget, way: PortWay, options: LaunchOptions) {
  return await launchService({ ...place, recipe: withPort(recipe, way) }, options);
}

/** The recipe with its port in this way, ready as soon as it accepts. */
function withPort(recipe: Recipe, way: PortWay): Recipe {
  return {
    ...recipe,
    ready: { kind: "tcp", timeoutMs: READY_TIMEOUT_MS },
    port: way.kind === "fixed" ? way.port : null,
    env: way.kind === "variable" ? { ...recipe.env, [way.name]: portText(way.form) } : recipe.env,
  };
}

function portText(form: "port" | "address"): string {
  return form === "port" ? "{port}" : "127.0.0.1:{port}";
}
