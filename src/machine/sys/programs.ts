// The programs that a run needs beside those of its configuration. Told before anything is started:
// whatever fails for want of one would be blamed on a service.
import { UserError } from "../../core/base/errors.ts";
import { tryFindProgram } from "./find-program.ts";

export interface Program {
  name: string;
  /** What it does for a run, after its name. */
  does: string;
  /** Of Alpine and of Debian. */
  package: string;
}

export const GIT: Program = { name: "git", does: "says which code to build", package: "git" };

/** For what only waits until nobody measures. */
export const LOCK_PROGRAMS: readonly Program[] = [
  { name: "flock", does: "keeps two gates from measuring at once", package: "util-linux" },
  { name: "sleep", does: "holds the machine's lock", package: "coreutils" },
  { name: "grep", does: "finds what a killed run left running", package: "grep" },
];

/** docs/runner.md has the same table. */
export const PROGRAMS: readonly Program[] = [
  GIT,
  { name: "taskset", does: "keeps services and load on their own CPUs", package: "util-linux" },
  ...LOCK_PROGRAMS,
];

export function assertPrograms(path = "", programs = PROGRAMS): void {
  const missing = programs.filter(({ name }) => tryFindProgram(name, path) === null);
  if (missing.length > 0) throw lackOf(missing);
}

/** `taskset is not on PATH: it keeps services and load on their own CPUs` */
export function lackOf(missing: readonly Program[]): UserError {
  const text = missing.map(({ name, does }) => `${name} is not on PATH: it ${does}`);
  const packages = [...new Set(missing.map((program) => program.package))].join(" ");
  // For either family of systems.
  const next = `apk add ${packages} || apt-get install ${packages}`;
  return new UserError(text.join("; "), { next });
}
