// What the page's script reckons. Each function is put into the page as text: it may use nothing but
// what it is given.

/** In seconds since 1970. */
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

/** About `count` hours, days or months in a span, with what stands below each. */
export function timeTicks({ from, to }: Span, count: number): { at: number; text: string }[] {
  const HOUR = 3600;
  const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
  const span = to - from;
  const step = [1, 6, 24, 48, 168, 336].find((hours) => span / (hours * HOUR) <= count);
  if (step !== undefined) {
    const first = Math.ceil(from / (step * HOUR));
    const last = Math.floor(to / (step * HOUR));
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const at = (first + i) * step * HOUR;
      const text = iso(at);
      return { at, text: step < 24 ? text.slice(5, 16).replace("T", " ") : text.slice(0, 10) };
    });
  }
  const months =
    [1, 2, 3, 6, 12, 24, 60].find((n) => span / (n * 30.4 * 24 * HOUR) <= count) ?? 120;
  const start = new Date(from * 1000);
  let month =
    Math.ceil((start.getUTCFullYear() * 12 + start.getUTCMonth() + 0.01) / months) * months;
  const ticks: { at: number; text: string }[] = [];
  for (; ; month += months) {
    const at = Date.UTC(Math.floor(month / 12), month % 12) / 1000;
    if (at > to) return ticks;
    ticks.push({ at, text: iso(at).slice(0, months < 12 ? 7 : 4) });
  }
}

/**
 * Of the points `shown`, times `scale`: as wide as the values, and as their intervals where these
 * are not far wider. No change is always in it.
 */
export function verticalDomain(
  { value, low, high }: Values,
  shown: readonly number[],
  scale: number,
): { low: number; high: number } {
  let least = 0;
  let most = 0;
  for (const i of shown) {
    least = Math.min(least, value[i] ?? 0);
    most = Math.max(most, value[i] ?? 0);
  }
  const room = Math.max(most - least, 0.01 * scale);
  let [bottom, top] = [least, most];
  for (const i of shown) {
    bottom = Math.min(bottom, Math.max(low[i] ?? least, least - room / 2));
    top = Math.max(top, Math.min(high[i] ?? most, most + room / 2));
  }
  const pad = 0.05 * (top - bottom || room);
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
