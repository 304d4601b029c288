// Divides the CPUs between service and load generator.
import { UserError } from "../base/errors.ts";
import type { CpuSets, Host } from "../model/host.ts";

/** Up to this many cores the generator gets one; of more, every third. */
const SMALL_MACHINE_CORES = 3;

/** From so many cores on, what the service depends on gets one of them. */
const CORES_FOR_DEPENDENCIES = 4;

/**
 * Whole physical cores on each side, one CPU of each: a busy sibling slows its core. The generator
 * gets the lowest cores. Dependencies get the highest of four cores or more, else they share the
 * service's; never the generator's, since late requests spoil a measurement.
 */
export function planCpuSets(
  host: Pick<Host, "allowedCpus" | "cores">,
  configured: { service: readonly number[]; generator: readonly number[] } | null,
  { dependencies }: { dependencies: boolean } = { dependencies: false },
): CpuSets {
  const cores = allowedCores(host);
  if (configured !== null) {
    assertAllowed(configured, host.allowedCpus);
    const { service, generator } = configured;
    const shared = cores.some((core) => touches(core, service) && touches(core, generator));
    return { service: ascending(service), generator: ascending(generator), disjoint: !shared };
  }
  if (cores.length === 1) {
    const [first = 0, second = first] = cores[0] ?? [];
    return { service: [second], generator: [first], disjoint: false };
  }
  const forGenerator =
    cores.length <= SMALL_MACHINE_CORES ? 1 : Math.floor(cores.length / SMALL_MACHINE_CORES);
  const cpus = cores.flatMap((core) => core.slice(0, 1));
  const forDependencies = dependencies && cores.length >= CORES_FOR_DEPENDENCIES ? 1 : 0;
  return {
    service: cpus.slice(forGenerator, cpus.length - forDependencies),
    generator: cpus.slice(0, forGenerator),
    ...(forDependencies === 0 ? {} : { dependencies: cpus.slice(-forDependencies) }),
    disjoint: true,
  };
}

/** The allowed part of each core, ascending; a CPU of unknown topology is a core. */
function allowedCores(host: Pick<Host, "allowedCpus" | "cores">): number[][] {
  const known = new Set(host.cores.flat());
  const alone = host.allowedCpus.filter((cpu) => !known.has(cpu)).map((cpu) => [cpu]);
  return [...host.cores, ...alone]
    .map((core) => ascending(core.filter((cpu) => host.allowedCpus.includes(cpu))))
    .filter((core) => core.length > 0)
    .sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

function assertAllowed(
  configured: { service: readonly number[]; generator: readonly number[] },
  allowed: readonly number[],
): void {
  for (const side of ["service", "generator"] as const) {
    const missing = configured[side].find((cpu) => !allowed.includes(cpu));
    if (missing === undefined) continue;
    throw new UserError(
      `runner.cpus.${side}: CPU ${missing} may not be used here; allowed are ${ascending(allowed).join(", ")}`,
      { next: "Change runner.cpus, or leave it out to have the CPUs divided automatically." },
    );
  }
}

function touches(core: readonly number[], cpus: readonly number[]): boolean {
  return core.some((cpu) => cpus.includes(cpu));
}

function ascending(cpus: readonly number[]): number[] {
  return [...cpus].sort((a, b) => a - b);
}
