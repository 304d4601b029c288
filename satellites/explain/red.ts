// What a gate found, as far as profiles may show why.
import type { ExplainKernel } from "../../src/core/model/kernels.ts";
import type { Metric } from "../../src/core/model/metric.ts";
import { wholeId } from "../../src/core/model/mix.ts";
import type { Report } from "../../src/core/model/report.ts";
import type { GateChange } from "./model.ts";

const KINDS: Partial<Record<Metric, GateChange["kind"]>> = {
  ...{ p99: "latency", slow: "latency", cpuPer1k: "cpu", startup: "start" },
  ...{ rss: "memory", pss: "memory", rssPeak: "memory" },
};

/**
 * Under which load the largest change shows: of what a service has as a whole, where most else
 * changed. Null: no profile shows any.
 */
export function chooseRed({ verdict, config }: Pick<Report, "verdict" | "config">) {
  const [worst] = verdict.comparisons
    .filter(({ level, state }) => level === "gate" && state === "regressed")
    .filter(({ metric, against }) => KINDS[metric] !== undefined && against === "alongside")
    .toSorted(
      (a, b) =>
        Number(a.scenario === null) - Number(b.scenario === null) ||
        (b.estimate ?? 0) - (a.estimate ?? 0),
    );
  const own = config.scenarios.filter(({ service }) => service === worst?.service);
  const loaded = own.filter(({ id }) => id === wholeId(worst?.scenario ?? ""));
  const changeOf = (id: string) =>
    Math.max(...verdict.comparisons.map((one) => (one.scenario === id && one.estimate) || 0));
  const [scenario] = [...loaded, ...own.toSorted((a, b) => changeOf(b.id) - changeOf(a.id))];
  return scenario === undefined ? null : { service: scenario.service, scenario: scenario.name };
}

/** Of the scenario and its service, by the last gate, if that was of these builds. */
export function gateChangesOf({
  report,
  keys,
  scenario,
}: Pick<ExplainKernel, "report" | "keys" | "scenario">): GateChange[] {
  const known = new Set(report?.artifacts.map(({ key }) => key));
  if (report === null || keys.some((key) => !known.has(key))) return [];
  const { service } = report.config.scenarios.find(({ id }) => id === scenario) ?? {};
  return report.verdict.comparisons
    .filter((one) => one.service === service && [null, scenario].includes(one.scenario))
    .flatMap(({ metric, reference, candidate, state }) => {
      const kind = KINDS[metric];
      if (kind === undefined || reference === null || candidate === null) return [];
      return { kind, reference, candidate, red: state === "regressed" };
    });
}

/** What the gate found red of a kind, where that is more than before; else null. */
export function redOf(gate: readonly GateChange[], kind: GateChange["kind"]): GateChange | null {
  return gate.find((one) => one.red && one.kind === kind && one.candidate > one.reference) ?? null;
}

export const redKinds = (gate: readonly GateChange[]): ReadonlySet<GateChange["kind"]> =>
  new Set(gate.filter(({ red }) => red).map(({ kind }) => kind));

/** Whether to record page faults, whose stacks take longer to read than the load: not where other kinds alone are red. */
export function asksForMemory(gate: readonly GateChange[]): boolean {
  const red = redKinds(gate);
  return red.size === 0 || red.has("memory");
}
