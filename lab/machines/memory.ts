// RSS of equal bytes on several machines, told apart by the build of their kernel: medians, and what a
// comparison with stored values answers where they are of another machine (docs/adr/0031).
//
//   node lab/machines/memory.ts [comparisons] [service]
import { createPrng, type Prng } from "../../src/core/base/prng.ts";
import { wholeRoundsOf } from "../../src/core/model/parts.ts";
import { wholeWorkloadHash } from "../../src/core/model/workload.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { ruleOf } from "../../src/core/verdict/decide.ts";
import { decideStored, STORED_LOOKS } from "../../src/core/verdict/decide-stored.ts";
import { gatedOf, listHypotheses } from "../../src/core/verdict/hypotheses.ts";
import { config, cpuOf, runs } from "../slow/drawn-gates.ts";

const COMPARISONS = Number(process.argv[2] ?? 400);
const SERVICES = process.argv[3] === undefined ? ["axum-api", "gin-api"] : [process.argv[3]];
/** As many as a committed baseline holds. */
const STORED = 10;
const MOST_LAUNCHES = Math.max(...STORED_LOOKS);
/** By how much more than the drift, here 0, memory may differ on another machine. */
const ALLOWED = [0, 0.01, 0.02];
const CHANGES = [0, 0.1];

/** Launches in which nothing is planted, of gates that are equal in service, bytes and workload. */
const alike = new Map<string, Map<string, number[]>>();
for (const { plant, samples } of runs) {
  for (const { service, arm, sha256 } of samples.artifacts) {
    if (plant?.service === service && arm === "candidate") continue;
    const own = wholeRoundsOf(samples, service).flatMap(
      ({ launches }) => launches?.[arm]?.values.rss ?? [],
    );
    const workload = wholeWorkloadHash(service, samples.config);
    const what = `${service} ${sha256.slice(0, 8)} ${workload.slice(0, 4)}`;
    const machine = `${cpuOf({ samples })} ${samples.host.fingerprint.kernel}`;
    const byMachine = alike.get(what) ?? new Map<string, number[]>();
    alike.set(what, byMachine.set(machine, [...(byMachine.get(machine) ?? []), ...own]));
  }
}

const draw = (from: readonly number[], count: number, prng: Prng): number[] =>
  Array.from({ length: count }, () => from[prng.below(from.length)] as number);

/** How many are red, pass and stay open; the launches are the same whatever is allowed. */
function answers(stored: readonly number[], now: readonly number[], more: number, change: number) {
  const gated = gatedOf(listHypotheses(config));
  const rss = gated.find(({ policy }) => policy.metric === "rss");
  if (rss === undefined) throw new Error("RSS does not gate");
  const limits = ruleOf(rss.policy, config.policy, gated.length);
  const rule = { ...limits, driftMargin: Math.log1p(more) };
  const prng = createPrng(1);
  const counts = { regressed: 0, pass: 0, open: 0 };
  for (let i = 0; i < COMPARISONS; i++) {
    const reference = draw(stored, STORED, prng);
    const candidate = draw(now, MOST_LAUNCHES, prng).map((value) => value * (1 + change));
    counts[decideStored(candidate, reference, rule).state]++;
  }
  return `${counts.regressed} red, ${counts.pass} pass, ${counts.open} open`;
}

for (const [what, byMachine] of [...alike].sort()) {
  const machines = [...byMachine].filter(([, launches]) => launches.length >= STORED);
  if (machines.length < 2) continue;
  console.log(what);
  for (const [machine, own] of machines) {
    console.log(`  ${machine}: ${(median(own) / 1e6).toFixed(2)} MB of ${own.length} launches`);
  }
  // Of others few launches are recorded.
  if (!SERVICES.some((service) => what.startsWith(`${service} `))) continue;
  for (const [there, stored] of machines) {
    for (const [here, now] of machines) {
      if (here === there) continue;
      for (const change of CHANGES) {
        const each = ALLOWED.map(
          (more) => `${100 * more} % more: ${answers(stored, now, more, change)}`,
        );
        console.log(`  ${there} to ${here}, +${100 * change} %; ${each.join("; ")}`);
      }
    }
  }
}
