// Vitest's reporter for scripts/test.ts: counts, failures, and each skip with its reason.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, SerializedError, TestModule } from "vitest/node";

interface Skip {
  test: string;
  reason: string;
}

export interface Counted {
  passed: number;
  /** What failed, with the first words of why. */
  failures: string[];
  skipped: Skip[];
}

/** What the end of the output repeats of a failure, so that a log that was cut has it too. */
const REASON_CHARACTERS = 400;

export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const counted: Counted = { passed: 0, failures: [], skipped: [] };
    const fail = (what: string, errors: readonly SerializedError[]): void => {
      const why = errors.map(({ message }) => message).join("\n");
      counted.failures.push(`${what}\n${why.slice(0, REASON_CHARACTERS)}`);
    };
    for (const module of modules) {
      const file = relative(process.cwd(), module.moduleId);
      if (module.errors().length > 0) fail(file, module.errors());
      for (const test of module.children.allTests()) {
        const { state, errors, ...result } = test.result();
        const name = `${file}: ${test.fullName}`;
        if (state === "passed") counted.passed++;
        else if (state === "failed") fail(name, errors);
        else {
          const note = "note" in result ? result.note : undefined;
          counted.skipped.push({ test: name, reason: note ?? "no reason given" });
        }
      }
    }
    if (unhandled.length > 0) fail("an error outside of tests", unhandled);
    writeFileSync(process.env.TAILGATE_TEST_RESULT ?? "", JSON.stringify(counted));
  }
}
