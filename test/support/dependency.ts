// For tests of dependencies: a start that remembers what it said, and a word where a server is
// missing.
import type { TestContext } from "vitest";
import type { DependencyStart } from "../../src/machine/run/dependency/start.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";

export function testStart(abort = new AbortController().signal): DependencyStart & {
  notes: string[];
} {
  const notes: string[] = [];
  return {
    clock: systemClock,
    abort,
    notes,
    progress: { note: (line) => notes.push(line), status: () => {} },
  };
}

/** Says so where a server is not installed. */
export function skipUnlessInstalled(find: () => string, name: string, context: TestContext): void {
  try {
    find();
  } catch {
    console.warn(`skipped: ${name} not installed`);
    context.skip(`${name} not installed`);
  }
}
