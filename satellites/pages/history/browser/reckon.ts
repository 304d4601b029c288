// What the page's script reckons. Each function is put into the page as text: it may use nothing but
// what it is given.

/** Of places: a run's is how many runs were before it. */
export interface Span {
  from: number;
  to: number;
}

/** Of a series in the page's data: log ratios times `scale`. A bound is null: infinite. */
export interface Values {
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
}

/** Runs at least `gap` places apart, with what stands below each: its day, or its time of the same day. */
export function runTicks(
  { from, to }: Span,
  seconds: readonly number[],
  gap: number,
): { at: number; text: string }[] {
  const ticks: { at: number; text: string }[] = [];
  let day = "";
  for (let at = Math.ceil(from); at <= to; at += Math.max(1, Math.ceil(gap))) {
    const iso = new Date((seconds[at] ?? 0) * 1000).toISOString();
    const isSame = iso.slice(0, 10) === day;
    day = iso.slice(0, 10);
    ticks.push({ at, text: isSame ? iso.slice(11, 16) : day });
  }
  return ticks;
}

/** Mean of the middle two for an even number; null: there are none. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Of the points `shown`, times `scale`: all values, no change, and three of four intervals whole. */
export function verticalDomain(
  { value, low, high }: Values,
  shown: readonly number[],
  scale: number,
): { low: number; high: number } {
  const values = [0, ...shown.map((i) => value[i] ?? 0)];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const reach = (bounds: Values["low"], side: 1 | -1): number => {
    const ends = shown.flatMap((i) => bounds[i] ?? []).sort((a, b) => side * (a - b));
    return ends[Math.floor(0.75 * (ends.length - 1))] ?? 0;
  };
  const [bottom, top] = [Math.min(least, reach(low, -1)), Math.max(most, reach(high, 1))];
  const pad = 0.05 * Math.max(top - bottom, 0.01 * scale);
  return { low: bottom - pad, high: top + pad };
}

/**
 * A point's change and its bounds, as the tables have them. `unbounded`: said in place of an interval
 * without ends.
 */
export function pointWords(
  { value, low, high }: Values,
  i: number,
  { scale, unbounded }: { scale: number; unbounded: string },
): { change: string; bounds: string } {
  const digits = (logRatio: number, round = Math.round): string => {
    const change = 100 * Math.expm1(logRatio / scale);
    const step = Math.abs(change) < 99.95 ? 10 : 1;
    const rounded = round(Number((change * step).toPrecision(9))) / step;
    if (rounded === 0) return "0";
    return (rounded > 0 ? "+" : "−") + Math.abs(rounded).toFixed(step === 10 ? 1 : 0);
  };
  const [now, from, to] = [value[i], low[i], high[i]];
  if (now == null) return { change: "–", bounds: "–" };
  const change = `${digits(now)} %`;
  if (from == null && to == null) return { change, bounds: unbounded };
  const bottom = from == null ? "−∞" : digits(from, Math.floor);
  return { change, bounds: `[${bottom}, ${to == null ? "+∞" : digits(to, Math.ceil)}] %` };
}

/** Null: no link of ours leads there. `run`: its page on GitHub. */
export function compareUrl(run: string | null, after: string, by: string): string | null {
  const repository = /^(https:\/\/[^/]+\/[^/]+\/[^/]+)\/actions\/runs\//.exec(run ?? "")?.[1];
  return repository === undefined ? null : `${repository}/compare/${after}...${by}`;
}
