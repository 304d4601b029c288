// What npm is told of each package, from our own package.json: that one is for those who develop
// Tailgate, and stays private, so that nothing is published by mistake.

interface Manifest {
  name: string;
  version: string;
  [key: string]: unknown;
}

/** Where a released oha runs; what npm calls them (`os`, `cpu`) too. */
export const MACHINES = ["linux-x64", "linux-arm64"] as const;
export type Machine = (typeof MACHINES)[number];

export const ohaPackage = (machine: Machine): string => `tailgate-oha-${machine}`;

/** Of package.json: what is for users too. Everything else is for us: scripts above all. */
const KEPT = [
  "name",
  "version",
  "description",
  "license",
  "repository",
  "type",
  "bin",
  "engines",
] as const;

/** The program itself. It is bundled: it depends on nothing but what may be left out. */
export function mainManifest(ours: Manifest): Manifest {
  const kept = KEPT.map((key) => {
    if (ours[key] === undefined) throw new Error(`package.json has no ${key}`);
    return [key, ours[key]];
  });
  return {
    ...(Object.fromEntries(kept) as Manifest),
    files: ["dist"],
    optionalDependencies: Object.fromEntries(
      MACHINES.map((machine) => [ohaPackage(machine), ours.version]),
    ),
  };
}

/** The load generator for one machine. */
export function ohaManifest(ours: Manifest, machine: Machine, ohaVersion: string): Manifest {
  const [os, cpu] = machine.split("-");
  return {
    name: ohaPackage(machine),
    version: ours.version,
    description: `oha ${ohaVersion}, the load generator of tailgate, for ${os} on ${cpu}`,
    license: "SEE LICENSE IN licences.txt",
    repository: ours.repository,
    os: [os],
    cpu: [cpu],
    files: ["bin", "licences.txt"],
    // A package manager that leaves packages zipped could not start it.
    preferUnplugged: true,
  };
}
