// Which commit of a line made a known change: a posterior over all of them. Each pair of commits that
// was measured shows the change if the commit lies between them, and none if it does not. Horstein,
// IEEE Trans. Inf. Theory 9, 1963; Waeber, Frazier and Henderson, SIAM J. Control Optim. 51, 2013;
// with the measured likelihood in the place of a known error rate.

/** Rounds of two places on the line, 0 the good commit; `d` is ln(to / from). */
export interface Pair {
  from: number;
  to: number;
  d: readonly number[];
}

export interface Change {
  /** Log ratio of the bad commit to the good one. */
  size: number;
  /** Standard error of that. */
  error: number;
  /** Standard deviation of a round. */
  spread: number;
}

/** Share that is dealt to all alike: a build may reach what is not the service's own. */
const FLAT = 0.2;
/** Two builds of equal code differ by so much for good: where their code and data happen to lie. */
export const LAYOUT = 0.01;
/** Of Student's t: the centre of a few recorded rounds has heavier tails than a normal distribution. */
const FREEDOM = 10;

type Estimate = (values: readonly number[]) => number;

/**
 * Chances of the places 1 to n, by the lines that each touched. `keys`: of the places 0 to n, as far as
 * they are known; between equal ones lies no change. All 0 where the ends are equal.
 */
export function priorOf(
  touched: readonly number[],
  keys: readonly (readonly (string | null)[])[],
): number[] {
  const last = new Map<string, number>();
  const possible = touched.map(() => true);
  for (const [kind, known] of keys.entries()) {
    for (const [at, key] of known.entries()) {
      const name = `${kind} ${key}`;
      const before = key === null ? undefined : last.get(name);
      if (before !== undefined) possible.fill(false, before, at);
      if (key !== null) last.set(name, at);
    }
  }
  const weight = touched.map((lines, k) => (possible[k] ? Math.log1p(lines) : 0));
  const flat = possible.map((is) => (is ? 1 : 0));
  const [all, count] = [sumOf(weight), sumOf(flat)];
  const share = all > 0 ? FLAT : 1;
  return flat.map(
    (one, k) => (one * share) / (count || 1) + ((weight[k] ?? 0) * (1 - share)) / (all || 1),
  );
}

/** Of all rounds about the mean of their pair. NaN for fewer than two of any. */
export function spreadOf(pairs: readonly Pair[]): number {
  const whole = pairs.filter(({ d }) => d.length > 1);
  const squares = whole.flatMap(({ d }) => {
    const mean = sumOf(d) / d.length;
    return d.map((value) => (value - mean) ** 2);
  });
  return Math.sqrt(sumOf(squares) / (squares.length - whole.length));
}

/** The prior's chances after these pairs, of which no two are of the same places. */
export function posteriorOf(
  prior: readonly number[],
  pairs: readonly Pair[],
  change: Change,
  estimate: Estimate,
): number[] {
  const logs = prior.map(Math.log);
  for (const { from, to, d } of pairs) {
    if (d.length === 0) continue;
    const speaks = logOddsOf(estimate(d), d.length, change);
    for (let k = from; k < to; k++) logs[k] = (logs[k] ?? 0) + speaks;
  }
  const most = Math.max(...logs);
  const shares = logs.map((log) => Math.exp(log - most));
  const all = sumOf(shares);
  return shares.map((share) => share / all);
}

/** ln of how much likelier the centre of so many rounds is with the change than without. */
export function logOddsOf(centre: number, rounds: number, { size, error, spread }: Change): number {
  const none = Math.hypot(spread / Math.sqrt(rounds), LAYOUT);
  const all = Math.hypot(none, error);
  return (
    logDensity((centre - size) / all) - Math.log(all) - logDensity(centre / none) + Math.log(none)
  );
}

/** Of Student's t, but for a constant. */
const logDensity = (z: number): number => (-(FREEDOM + 1) / 2) * Math.log1p(z ** 2 / FREEDOM);

export const sumOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0);
