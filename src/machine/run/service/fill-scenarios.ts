// The scenarios of a launch with what its `before` gave, or what is missing in it.
import { fillRequest, type Values } from "../../../core/config/fill-values.ts";
import type { Scenario } from "../../../core/model/config.ts";

/** By id; a scenario that is not in it is sent as it is. */
export type FilledScenarios = ReadonlyMap<string, Scenario>;

/** Without `values` braces are the request's own. */
export function fillScenarios(
  scenarios: readonly Scenario[],
  values: Values | null,
): { ok: true; filled: FilledScenarios } | { ok: false; why: string; next: string } {
  const filled = new Map<string, Scenario>();
  if (values === null) return { ok: true, filled };
  for (const scenario of scenarios) {
    const result = fillRequest(scenario.request, values);
    if (!result.ok) {
      return {
        ok: false,
        why: `${scenario.name}: ${result.why}`,
        next: `Correct \`request\` of the scenario ${scenario.name}, or what \`before\` of the service prints, in tailgate.yml.`,
      };
    }
    filled.set(scenario.id, { ...scenario, request: result.request });
  }
  return { ok: true, filled };
}
