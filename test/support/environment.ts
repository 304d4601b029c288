// What a use case is given in tests that ask for nothing of it but a folder.
import { silentProgress } from "../../src/app/progress.ts";
import type { Environment } from "../../src/app/settings.ts";
import { satellites } from "../../src/entry/satellites.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";

export function makeEnvironment(folder: string, parts: Partial<Environment> = {}): Environment {
  return {
    version: "0.0.0",
    workingFolder: folder,
    env: process.env,
    cache: folder,
    clock: systemClock,
    progress: silentProgress,
    abort: new AbortController().signal,
    satellites,
    ...parts,
  };
}
