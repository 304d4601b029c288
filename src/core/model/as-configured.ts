// Whether what was tried is as it is configured. Apart from its schemas, of which a reader needs none.
import type { TriedScenario, TriedService } from "./try.ts";

/** Each answer was the expected one. */
export function isAsExpected({ answers }: TriedScenario): boolean {
  return answers.every(({ status, expected }) => status === expected);
}

export function isAsConfigured({ launch, scenarios }: TriedService): boolean {
  return launch.kind === "ready" && scenarios.every(isAsExpected);
}
