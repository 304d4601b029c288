// What was measured, where and under what load.
import type { Slice } from "../../src/model/samples.ts";
import { quantile, sortSample } from "../../src/stats/quantile.ts";
import { isSameAgain } from "./again.ts";
import { KINDS } from "./kinds.ts";
import { machineOf, renderByMachine } from "./machines.ts";
import type { Plan } from "./plan.ts";
import { KINDS_OF_POOL, poolOf, turnCount } from "./pool.ts";
import type { StoredRun } from "./runs.ts";
import { fixed, percent, table } from "./words.ts";

const TITLES: Readonly<Record<string, string>> = {
  pool: "rounds of identical arms, no verdict",
  fit: "rounds that sized a plant",
};

export function renderMeasured(runs: readonly StoredRun[], plan: Plan): string {
  const [first] = runs;
  if (first === undefined) return "Nothing has been measured yet.";
  const stretches = poolOf(runs);
  const generators = [...new Set(runs.map(({ samples }) => samples.host.fingerprint.generator))];
  const gates = runs.filter(({ verdict }) => verdict !== null);
  const planned = ["pool", "fit", ...Object.keys(plan.gates)];
  const kinds = [...new Set([...planned, ...runs.map(({ kind }) => kind)])];
  const rows = kinds.map((kind) => {
    const own = runs.filter((run) => run.kind === kind);
    const rounds = own.reduce((sum, { samples }) => sum + samples.rounds.length, 0);
    const slices = own.flatMap(slicesOf);
    const invalid = own.filter(({ verdict }) => verdict?.state === "invalid").length;
    return [
      kind,
      TITLES[kind] ?? describeGates(kind),
      wantedOf(kind, plan),
      String(own.length),
      String(invalid),
      String(rounds),
      fixed(
        own.reduce((sum, run) => sum + run.minutes, 0),
        0,
      ),
      slices.length === 0
        ? ""
        : percent(slices.filter((slice) => slice.void !== null).length / slices.length),
    ];
  });
  const machines = [...new Set(runs.map(machineOf))];
  return `${machines.length === 1 ? "Machine" : "Machines"}: ${machines.join("; ")}. Generator: ${generators.join(", ")}. Both reference services with this repository's
\`tailgate.yml\`; gates of one scenario ask about one of the services and its \`/echo\` alone, the services in turns. From ${first.samples.run.startedAt.slice(0, 16)} to ${(runs.at(-1)?.samples.run.startedAt ?? "").slice(0, 16)} UTC.

${table(["kind", "", "wanted", "runs", "of them invalid", "rounds", "minutes", "void slices"], rows)}

The pool of identical arms: ${turnCount(stretches)} rounds of each service from ${stretches.length} runs of the kinds ${KINDS_OF_POOL.join(", ")} (of a gate those until
one of the services had its answers).

Of the ${gates.length} gates ${gates.filter(isSameAgain).length} have the same hypotheses red when they are judged again, from what is stored and by the rule as it is now.

${renderByMachine(runs, machineOf, (own) => `${own.length} runs, ${turnCount(poolOf(own))} rounds of the pool.\n\n${hostTable(own)}`)}`;
}

function describeGates(kind: string): string {
  const { title, scope } = KINDS[kind] ?? { title: kind, scope: "echo" };
  return `gates of ${scope === "echo" ? "one scenario" : "everything"}; planted: ${title}`;
}

function wantedOf(kind: string, plan: Plan): string {
  if (kind === "pool") return `${plan.poolRounds} rounds in the pool`;
  const wanted = plan.gates[kind];
  return wanted === undefined ? "" : `${wanted} gates`;
}

function slicesOf({ samples }: StoredRun): Slice[] {
  return samples.rounds.flatMap(({ scenarios }) => scenarios.flatMap(({ slices }) => slices));
}

/** By hour of the day: what the machine was doing besides. */
function hostTable(runs: readonly StoredRun[]): string {
  const hours = [...new Set(runs.map(hourOf))].sort();
  const rows = hours.map((hour) => {
    const own = runs.filter((run) => hourOf(run) === hour);
    const slices = own.flatMap(slicesOf);
    const ninth = (values: readonly number[]): number => quantile(sortSample(values), 0.9);
    const voided = slices.filter((slice) => slice.void !== null);
    const byRule = new Map<string, number>();
    for (const slice of voided) {
      const rule = slice.void?.rule ?? "";
      byRule.set(rule, (byRule.get(rule) ?? 0) + 1);
    }
    const rules = [...byRule].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return [
      `${hour}:00`,
      String(own.reduce((sum, { samples }) => sum + samples.rounds.length, 0)),
      fixed(Math.max(...own.map(({ load }) => load)), 1),
      percent(ninth(slices.map(({ host }) => host.steal))),
      percent(ninth(slices.map(({ host }) => host.foreign))),
      `${(ninth(slices.flatMap(({ lag }) => lag?.p99 ?? [])) / 1000).toFixed(1)} ms`,
      percent(voided.length / Math.max(1, slices.length)),
      rules.map(([rule, n]) => `${rule} ${n}`).join(", "),
    ];
  });
  return table(
    [
      "begun, UTC",
      "rounds",
      "load before, most",
      "steal, p90 of slices",
      "foreign CPU, p90",
      "lag p99, p90",
      "void",
      "by rule",
    ],
    rows,
  );
}

const hourOf = ({ samples }: StoredRun): string =>
  samples.run.startedAt.slice(0, 13).replace("T", " ");
