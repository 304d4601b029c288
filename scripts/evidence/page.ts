// docs/evidence.md from stored runs. Pure and seeded: the same runs give the same page to the byte.
import { createPrng } from "../../src/base/prng.ts";
import type { Plan } from "./plan.ts";
import {
  isOfPool,
  POOL,
  poolOf,
  type Stretch,
  type Terms,
  TWO_BUILDS,
  termsOf,
  turnCount,
  WHOLE,
} from "./pool.ts";
import { renderPromises } from "./promises.ts";
import { answersOf, replay } from "./replay.ts";
import { disjointVerdicts, drawTrial, LEAST_POOL_TURNS, poolsOf } from "./resample.ts";
import type { StoredRun } from "./runs.ts";
import { type Alarms, realVerdicts, renderAlarms } from "./section-alarms.ts";
import { renderDrift } from "./section-drift.ts";
import { renderHistory } from "./section-history.ts";
import { renderLean } from "./section-lean.ts";
import { renderMeasured } from "./section-measured.ts";
import { renderNoise } from "./section-noise.ts";
import { renderPeers } from "./section-peers.ts";
import { renderPasses, renderPlanted, renderReal } from "./section-power.ts";

export interface Effort {
  /** Resampled pull requests of identical arms. */
  verdicts: number;
  /** Of these, how many are asked again with a plant. */
  planted: number;
  /** Drawn for each rule and effect. */
  peers: number;
  /** Simulated months of drift. */
  months: number;
}

export const EFFORT: Effort = { verdicts: 2000, planted: 200, peers: 100, months: 12 };

const SEED = 20261121;

const INTRO = `# The evidence

What Tailgate promises is a number of false alarms and a number of finds, so here they are counted, on the two reference services of this repository.
Made by \`node scripts/evidence/render.ts\` from the samples in [evidence/](evidence/), each of which \`tailgate judge\` can judge again
(\`gunzip\` it first); [plan.json](evidence/plan.json) says how much is wanted, and \`node scripts/evidence/collect.ts --for 2h\` measures on.`;

const NOTHING = `## What is shown

Nothing yet: no run has been recorded. Every promise stands on the simulations and the argument of [the method](method.md) alone.`;

export function renderEvidence(runs: readonly StoredRun[], plan: Plan, effort: Effort): string {
  const stretches = poolOf(runs);
  const [first] = runs.filter(({ kind }) => kind === WHOLE);
  const measured = turnCount(stretches) === 0 || first === undefined ? null : first;
  const sections =
    measured === null ? [NOTHING] : sectionsOf({ runs, plan, first: measured, stretches, effort });
  return `${[INTRO, ...sections, `## Stored baselines under simulated drift\n\n${renderDrift(effort.months)}`, MUTATIONS].join("\n\n")}\n`;
}

const MUTATIONS = `## The rule itself

A changed line of the decision rule turns a test red: [mutations.md](evidence/mutations.md), made by \`node scripts/mutate-decide.mjs\`.`;

interface Input {
  runs: readonly StoredRun[];
  plan: Plan;
  /** Whose questions are asked: a gate as the configuration has it. */
  first: StoredRun;
  stretches: readonly Stretch[];
  effort: Effort;
}

function sectionsOf({ runs, plan, first, stretches, effort }: Input): string[] {
  const terms = sharedTerms(runs, first);
  const prng = createPrng(SEED);
  const pools = poolsOf(stretches);
  const [largest] = pools.toSorted((a, b) => turnCount(b) - turnCount(a));
  const trials = Array.from({ length: pools.length > 0 ? effort.verdicts : 0 }, () =>
    drawTrial(pools, terms, prng),
  );
  const unchanged = trials.map((trial) => answersOf(trial, {}, terms));
  const alarms: Alarms = {
    whole: realVerdicts(runs, WHOLE),
    twoBuilds: realVerdicts(runs, TWO_BUILDS),
    small: realVerdicts(runs, "aa"),
    // Rounds of gates have had their verdict.
    disjoint: disjointVerdicts(poolOf(runs.filter(({ kind }) => kind === POOL)), terms),
    resampled: trials.map((trial, i) => replay(trial, unchanged[i] ?? new Map(), terms)),
  };
  const planting = {
    stretches: pools.flat(),
    terms,
    trials: trials.slice(0, effort.planted),
    unchanged,
  };
  return [
    `## What is shown\n\n${renderPromises(runs, alarms)}`,
    `## What was measured\n\n${renderMeasured(runs, plan)}`,
    `## Noise of identical arms\n\n${renderNoise(stretches, terms)}`,
    `## Whether runs lean to one side\n\n${renderLean(runs, terms, createPrng(SEED))}`,
    `## False alarms\n\n${renderAlarms(alarms, pools, terms)}`,
    `## Finds: gates with a plant\n\n${renderReal(runs)}`,
    ...(largest === undefined ? [tooShort(turnCount(stretches))] : drawnSections(largest)),
    `## Stored baselines, the recorded runs one after the other\n\n${renderHistory(runs, first.samples.config.policy)}`,
  ];

  function drawnSections(largest: readonly Stretch[]): string[] {
    return [
      `## Finds: recorded rounds with a plant

${planting.trials.length} of the resampled pull requests, one hypothesis of the candidate multiplied by a ratio, half, once and twice its promise; the others as they are, the time
budget of ${Math.round(terms.timeBudgetMs / 60_000)} minutes for all together.

${renderPlanted(planting)}

*Wald's bound*: the fewest rounds, on average, with which any sequential test could tell such a change from the tolerance at the hypothesis' share of α and 95 %
power, for normal log ratios of this robust sd, known beforehand (Wald, Ann. Math. Stat. 16, 1945). *One look*: what a z-test of that sd needs that looks once. Means and medians are over
the pull requests in which the change was found.`,
      `## Nothing changed: rounds to a pass\n\n${renderPasses({ ...planting, trials, unchanged })}`,
      `## Other tools' rules on the same rounds\n\n${renderPeers(largest, terms, { samples: first.samples, trials: effort.peers, seed: SEED })}`,
    ];
  }
}

const tooShort = (turns: number): string => `## Recorded rounds, asked again

The pool of identical arms holds ${turns} rounds of each service. Below ${LEAST_POOL_TURNS} of one machine nothing is drawn from it: neither verdicts nor plants in recorded rounds, and no
other tool's rule is asked.`;

/** Rounds of different questions cannot stand in one table. */
function sharedTerms(runs: readonly StoredRun[], first: StoredRun): Terms {
  const terms = termsOf(first.samples);
  const ids = (t: Terms): string =>
    t.hypotheses.map(({ id, policy }) => `${id} ${policy.promise}`).join();
  for (const { name, samples } of runs.filter(isOfPool)) {
    if (ids(termsOf(samples)) !== ids(terms)) {
      throw new Error(
        `${name} asks other questions than ${first.name}: it belongs to another page`,
      );
    }
  }
  return terms;
}
