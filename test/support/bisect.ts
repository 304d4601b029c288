// A line of commits of which one makes the service slower, and a machine that measures it: for
// simulations, and for the loop.
import { createPrng } from "../../src/core/base/prng.ts";
import type { BisectKernel } from "../../src/core/model/bisect.ts";
import type { MetricPolicy } from "../../src/core/model/config.ts";
import { wealthAfter } from "../../src/core/stats/betting.ts";
import { trimmedEstimate } from "../../src/core/stats/hodges-lehmann.ts";
import { decide, ruleOf } from "../../src/core/verdict/decide.ts";

export interface World {
  seed: number;
  /** Commits after the good one. */
  commits: number;
  /** The place of the one that changes something. */
  culprit: number;
  /** Log ratio; default: that of +20 %. */
  change?: number;
  /** d of rounds of equal builds, of which each round draws one; default: none. */
  noise?: readonly number[];
  /** Standard deviation of what lies otherwise in each build; default 0. */
  layout?: number;
  /** Places that do not build. */
  broken?: ReadonlySet<number>;
  /** Places that are the same as the commit before, by their sources or once they are built. */
  same?: ReadonlyMap<number, "sources" | "artifact">;
  /** Lines that each commit touches, the good one's first; default: none. */
  touched?: readonly number[];
  /** Questions that share the chance of a false regression; default 4. */
  gating?: number;
}

export interface Spent {
  builds: number;
  rounds: number;
  /** What was asked, in words. */
  asked: string[];
  /** Text that was kept last. */
  kept: string | null;
}

export const QUESTION = "api/echo p99 typical";
export const idAt = (place: number): string => place.toString(16).padStart(10, "c").padEnd(40, "0");
export const placeOf = (id: string): number =>
  Number.parseInt(id.slice(0, 10).replace(/^c+(?=.)/, ""), 16);
const POLICY: MetricPolicy = {
  metric: "p99",
  estimator: "typical",
  level: "gate",
  tolerance: 0.01,
  margin: 0.1,
  floor: 0.05,
  absoluteFloor: 0,
};

export function worldOf(world: World): { kernel: BisectKernel; spent: Spent } {
  const { commits, culprit, change = Math.log(1.2), layout = 0, noise = [0] } = world;
  const { broken = new Set(), same = new Map(), touched = [], gating = 4 } = world;
  const prng = createPrng(world.seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - prng.next())) * Math.cos(2 * Math.PI * prng.next());
  const offsets = Array.from({ length: commits + 1 }, () => layout * normal());
  const builtAs = (place: number, kind: "sources" | "any"): number => {
    const how = same.get(place);
    const isSame = how !== undefined && (kind === "any" || how === "sources");
    return isSame ? builtAs(place - 1, kind) : place;
  };
  const spent: Spent = { builds: 0, rounds: 0, asked: [], kept: null };
  const levelOf = (place: number): number =>
    (place >= culprit ? change : 0) + (offsets[builtAs(place, "any")] ?? 0);
  const rule = ruleOf(POLICY, { alpha: 0.01, beta: 0.05 }, gating);
  const kernel: BisectKernel = {
    tool: "tailgate 0.0.0",
    identity: `${commits}`,
    commits: offsets.map((_, place) => ({
      id: idAt(place),
      subject: `commit ${place}`,
      touched: touched[place] ?? 0,
      key: `sources ${builtAs(place, "sources")}`,
    })),
    questions: [{ id: QUESTION, service: "api", scenario: "api/echo", policy: POLICY }],
    scenario: null,
    estimate: trimmedEstimate,
    wealth: (values, bet) => wealthAfter(values, { ...bet, direction: "+" }),
    answer: (_, values) => {
      const calm = values.map((d) => ({ d, calm: true }));
      return decide(calm, rule).state;
    },
    build: async (id) => {
      spent.asked.push(`build ${placeOf(id)}`);
      spent.builds++;
      if (broken.has(placeOf(id))) return { unusable: "build failed" };
      return { key: `artifact ${builtAs(placeOf(id), "any")}` };
    },
    measure: async ([from, to], rounds) => {
      spent.asked.push(`${rounds} rounds of ${placeOf(to)} against ${placeOf(from)}`);
      spent.rounds += rounds;
      const one = (): number =>
        levelOf(placeOf(to)) - levelOf(placeOf(from)) + (noise[prng.below(noise.length)] ?? 0);
      return { d: { [QUESTION]: Array.from({ length: rounds }, one) } };
    },
    earlier: null,
    keep: (text) => {
      spent.kept = text;
    },
    leftMs: () => 1,
    note: () => {},
  };
  return { kernel, spent };
}
