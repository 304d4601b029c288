// Faults on demand: which of them strikes a request, and what it says in GitHub's place.
import type { Fault } from "./seed.ts";
import type { World } from "./world.ts";

export type Blow = Fault["do"];

/** The first fault that fits and is not used up; counts it as used. */
export function strike(world: World, method: string, target: string): Blow | null {
  for (const fault of world.faults) {
    if (fault.method !== undefined && fault.method !== method) continue;
    if (fault.path !== undefined && !new RegExp(fault.path).test(target)) continue;
    if (fault.times === 0) continue;
    if (fault.skip > 0) {
      fault.skip--;
      continue;
    }
    if (fault.times !== null) fault.times--;
    return fault.do;
  }
  return null;
}

/** Requests of a job's token in an hour. */
export const LIMIT = 5000;
