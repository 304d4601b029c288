// `margin: auto`: as close as an unchanged build passes while a service's slowest question is still
// open, by the profile that is committed for this machine. Never by the rounds of the run itself, so
// that it is fixed before them, as the rule wants it (docs/adr/0032). Pure and seeded.
import { createPrng } from "../base/prng.ts";
import type { Config } from "../model/config.ts";
import type { Fingerprint } from "../model/host.ts";
import { configuredCost, type Profile } from "../model/profile.ts";
import { differingFact } from "../model/workload.ts";
import type { Method } from "../verdict/decide.ts";
import { listHypotheses } from "../verdict/hypotheses.ts";
import { methodOf } from "../verdict/slow.ts";
import { knownOf } from "./expect.ts";
import { closestKept, noiseLike, TRIALS } from "./power.ts";

/** Its half, the floor, held what few edits that change no behaviour did by layout alone (docs/adr/0032). */
const CLOSEST = 0.07;
const STEP = 0.005;
/** Of runs in which nothing changed; the slowest question, too, is given the rounds of nine in ten. */
const PASSING = 0.9;

interface Asked {
  /** Log ratios of equal arms, of the profile. */
  d: readonly number[];
  rounds: number;
  /** What holds where nothing closer passes; never exceeded. */
  most: number;
  beta: number;
  methodAt(margin: number): Method;
}

/**
 * The closest margin, in steps of half a percent, that an unchanged build passes within `rounds` in
 * nine of ten runs. It never falls as noise grows, nor rises with the rounds: all margins are asked
 * of the same runs.
 */
export function closestMargin({ d, rounds, most, beta, methodAt }: Asked): number {
  const noise = noiseLike(d);
  const runs = Array.from({ length: TRIALS }, (_, seed) => {
    const prng = createPrng(seed);
    return Array.from({ length: rounds }, () => noise(prng));
  });
  const isKept = (margin: number): boolean => {
    const bound = Math.log1p(margin);
    const passed = runs.filter((values) => {
      const within = methodAt(margin).bettor({ bound, direction: "-", scale: bound });
      return values.some((value) => {
        within.take(value);
        return within.wealth * beta >= 1;
      });
    });
    return passed.length >= PASSING * TRIALS;
  };
  const steps = Math.max(0, Math.ceil((most - CLOSEST) / STEP - 1e-9));
  const margins = Array.from({ length: steps }, (_, i) => Number((CLOSEST + i * STEP).toFixed(4)));
  return closestKept(margins, isKept) ?? most;
}

/** Whether any margin is left to a profile. */
export function asksAuto(config: Config): boolean {
  return listHypotheses(config).some(({ policy }) => policy.auto === true);
}

/**
 * With the margins that the profile of its class of runner gives. As it is without one, or on
 * another machine (`fingerprint` null: not asked).
 */
export function withAutoMargins(
  config: Config,
  profile: Profile | null,
  fingerprint: Fingerprint | null,
): Config {
  if (profile === null) return config;
  const isOther = fingerprint !== null && differingFact(profile.fingerprint, fingerprint) !== null;
  const known = isOther ? [] : knownOf(profile, config);
  const auto = known.filter(({ hypothesis: { policy } }) => policy.auto === true);
  if (auto.length === 0) return config;
  const given = known.filter((one) => !auto.includes(one));
  const calibratedAt = profile.run.startedAt;
  const margins = auto.map(({ hypothesis, metric: { d } }) => {
    const { id, service, policy } = hypothesis;
    // What is auto sets no pace: on a noisy machine all would wait for the noisiest.
    const pace = given
      .filter(({ metric }) => metric.service === service)
      .map(({ metric }) => configuredCost(metric)?.unchanged.rounds?.p90 ?? 0);
    const methodAt = (margin: number): Method => methodOf(hypothesis, { margin });
    const terms = { most: policy.margin, beta: config.policy.beta, methodAt };
    const closest = closestMargin({ d, rounds: Math.max(0, ...pace), ...terms });
    // As of a margin that is given: changes between the two could never fail.
    const margin = Math.max(closest, Math.min(policy.margin, policy.tolerance + STEP));
    return [id, { margin, calibratedAt }];
  });
  return { ...config, policy: { ...config.policy, autoMargins: Object.fromEntries(margins) } };
}
