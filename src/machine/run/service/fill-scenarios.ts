// The scenarios of a launch with what its `before` gave, or what is missing in it.
import { fillRequest, type Values } from "../../../core/config/fill-values.ts";
import type { Scenario } from "../../../core/model/config.ts";
import { withParts } from "../../../core/model/mix.ts";

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
    const requests = [scenario.request];
    for (const { request } of scenario.mix ?? []) requests.push(request);
    const results = requests.map((request) => fillRequest(request, values));
    const wrong = results.find((result) => !result.ok);
    if (wrong !== undefined) {
      return {
        ok: false,
        why: `${scenario.name}: ${wrong.why}`,
        next: `Correct \`request\` of the scenario ${scenario.name}, or what \`before\` of the service gives, in tailgate.yml.`,
      };
    }
    const [request = scenario.request, ...ofParts] = results.flatMap((result) =>
      result.ok ? result.request : [],
    );
    const mix = scenario.mix?.map((part, i) => ({ ...part, request: ofParts[i] ?? part.request }));
    const whole = { ...scenario, request, mix };
    for (const one of withParts([whole])) filled.set(one.id, one);
  }
  return { ok: true, filled };
}
