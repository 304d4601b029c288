// Measures for the evidence, unattended, as long as it is told to; whatever is most wanting by docs/evidence/plan.json. What a run measured is
// kept when the run has ended, so that stopping at any time loses one run, and the next call goes on from there. Nothing else may
// run on the machine meanwhile.
//
//   node scripts/evidence/collect.ts --for 25m [--into docs/evidence] [--only pool|aa|p99+10|…]
//   node scripts/evidence/collect.ts --status
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parseDuration } from "../../src/config/units.ts";
import { collect } from "./collection.ts";
import { doneOf, type Plan, readPlan } from "./plan.ts";
import { poolOf, turnCount } from "./pool.ts";
import { readStoredRuns, type StoredRun } from "./runs.ts";
import { ROOT } from "./working-copy.ts";

const { values } = parseArgs({
  options: {
    for: { type: "string" },
    into: { type: "string", default: join(ROOT, "docs/evidence") },
    only: { type: "string" },
    status: { type: "boolean", default: false },
  },
});
const folder = resolve(values.into);
const plan = planFor(values.only);

if (values.status) {
  printStatus(readStoredRuns(folder));
} else if (values.for === undefined) {
  console.error("usage: node scripts/evidence/collect.ts --for 25m | --status");
  process.exitCode = 2;
} else {
  const duration = parseDuration(values.for);
  if (!duration.ok) throw new Error(`--for: expected ${duration.expected}`);
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
  const endMs = performance.now() + duration.value;
  await collect({ folder, plan, endMs, abort: stopping.signal });
}

function planFor(only: string | undefined): Plan {
  const whole = readPlan(join(ROOT, "docs/evidence"));
  if (only === undefined) return whole;
  if (only === "pool") return { ...whole, gates: {} };
  const wanted = whole.gates[only];
  if (wanted === undefined) throw new Error(`the plan has no kind ${only}`);
  // One round: the pool is had as soon as anything is.
  return { ...whole, poolRounds: 1, gates: { [only]: wanted } };
}

function printStatus(runs: readonly StoredRun[]): void {
  const done = doneOf(runs, turnCount(poolOf(runs)));
  console.log(`pool: ${done.poolRounds} of ${plan.poolRounds} rounds of each service`);
  for (const [kind, wanted] of Object.entries(plan.gates)) {
    console.log(`${kind}: ${done.gates[kind] ?? 0} of ${wanted} gates`);
  }
}
