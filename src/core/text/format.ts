// Numbers as people read them: three significant digits, a unit, a real minus sign. Intervals,
// p-values and detectable sizes round outwards.
import type { Unit } from "../model/metric.ts";
import type { Comparison } from "../model/verdict.ts";

export const NOTHING = "–";

const MINUS = "−";
const KIB = 1024;

interface Scale {
  suffix: string;
  factor: number;
}

const SCALES: Readonly<Record<Unit, readonly Scale[]>> = {
  us: [
    { suffix: " µs", factor: 1 },
    { suffix: " ms", factor: 1e3 },
    { suffix: " s", factor: 1e6 },
  ],
  ms: [
    { suffix: " µs", factor: 1e-3 },
    { suffix: " ms", factor: 1 },
    { suffix: " s", factor: 1e3 },
  ],
  bytes: [
    { suffix: " B", factor: 1 },
    { suffix: " KiB", factor: KIB },
    { suffix: " MiB", factor: KIB ** 2 },
    { suffix: " GiB", factor: KIB ** 3 },
  ],
  count: [{ suffix: "", factor: 1 }],
  share: [{ suffix: " %", factor: 0.01 }],
};

/** `312 µs`, `1.24 ms`, `18.3 MiB`. */
export function formatValue(unit: Unit, value: number | null): string {
  if (value === null || !Number.isFinite(value)) return NOTHING;
  const scale = scaleFor(unit, value);
  return scaledDigits(unit, value, scale, FEWEST_DIGITS) + scale.suffix;
}

/** A chosen number, such as a limit or a tick, whose zeros mean nothing: `50 µs`, `1 MiB`. */
export function formatAmount(unit: Unit, value: number | null): string {
  return formatValue(unit, value)
    .replace(/(\.\d*?)0+(?= |$)/, "$1")
    .replace(/\.(?= |$)/, "");
}

/**
 * `312.0 → 350.6 µs`: in one unit, with the fewest digits of which a reader gets the very change that
 * is written beside them; or the second of it alone.
 */
export function formatPair(
  unit: Unit,
  reference: number | null,
  candidate: number | null,
  says: (logRatio: number) => string = formatChange,
  shows: "both" | "candidate" = "both",
): string {
  const [from, to] = [reference ?? Number.NaN, candidate ?? Number.NaN];
  if (Number.isNaN(from) && Number.isNaN(to)) return NOTHING;
  const scale = scaleFor(unit, Math.max(Math.abs(reference ?? 0), Math.abs(candidate ?? 0)));
  const read = (value: number): number => rounded(value / scale.factor, digits).value;
  const isTold = (): boolean => says(Math.log(read(to) / read(from))) === says(Math.log(to / from));
  let digits = FEWEST_DIGITS;
  // A value that is missing or 0 has no change.
  if (from > 0 && to > 0) while (digits < MOST_DIGITS && !isTold()) digits++;
  const shown = (value: number): string =>
    Number.isFinite(value) ? scaledDigits(unit, value, scale, digits) : NOTHING;
  return `${shows === "both" ? `${shown(from)} → ` : ""}${shown(to)}${scale.suffix}`;
}

const FEWEST_DIGITS = 3;
const MOST_DIGITS = 12;

/** The largest scale in which the value shows as at least 1, after rounding to three digits. */
function scaleFor(unit: Unit, value: number): Scale {
  const scales = SCALES[unit];
  const shown = (scale: Scale): number => Number((Math.abs(value) / scale.factor).toPrecision(3));
  const fitting = scales.filter((scale) => shown(scale) >= 1);
  return fitting.at(-1) ?? (scales[0] as Scale);
}

function scaledDigits(unit: Unit, value: number, scale: Scale, digits: number): string {
  // Seven threads are 7, not 7.00, also where they were computed.
  const whole = Number(value.toPrecision(MOST_DIGITS));
  if (value === 0 || (unit === "count" && Number.isInteger(whole))) return formatCount(whole);
  const shown = rounded(value / scale.factor, digits);
  return signed(grouped(Math.abs(shown.value), shown.decimals), value);
}

/** To so many digits, and as many decimals at most; what is before the point is never rounded. */
function rounded(value: number, digits: number): { value: number; decimals: number } {
  const magnitude = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(digits)))));
  const decimals = Math.min(digits, Math.max(0, digits - 1 - magnitude));
  return { value: Number(value.toFixed(decimals)), decimals };
}

/** `1,234,567`. */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return NOTHING;
  return signed(grouped(Math.abs(Math.round(value)), 0), Math.round(value));
}

/** Kept, since to make one takes forty times as long as to use it. */
const BY_DECIMALS = Array.from({ length: MOST_DIGITS + 1 }, (_, decimals) => {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat("en-US", digits);
});

const grouped = (value: number, decimals: number): string =>
  (BY_DECIMALS[decimals] as Intl.NumberFormat).format(value);

function signed(digits: string, value: number): string {
  return value < 0 ? `${MINUS}${digits}` : digits;
}

/** A log ratio as a change: `+12.4 %`, `−3.1 %`, `0 %` when it rounds to nothing. */
export function formatChange(logRatio: number | null): string {
  if (logRatio === null || Number.isNaN(logRatio)) return NOTHING;
  return `${percentDigits(Math.expm1(logRatio) * 100, "nearest")} %`;
}

/** The change, and `≥` or `≤` before it where it is larger than the estimate can say. */
export function formatEstimate({
  estimate,
  clipped,
}: Pick<Comparison, "estimate" | "clipped">): string {
  const bound = clipped !== true || estimate === null ? "" : estimate > 0 ? "≥ " : "≤ ";
  return bound + formatChange(estimate);
}

/** Stands where an interval would: nothing bounds a change to either side. */
export const UNBOUNDED = "(no bound yet)";

/**
 * `[+8.2, +16.9] %`: log ratios as changes, rounded outwards; a null bound is infinite, and two are
 * said in words.
 */
export function formatInterval({
  estimate,
  interval,
}: Pick<Comparison, "estimate" | "interval">): string {
  if (estimate === null || interval === null) return NOTHING;
  if (interval.low === null && interval.high === null) return UNBOUNDED;
  return `[${bound(interval.low, "down")}, ${bound(interval.high, "up")}] %`;
}

function bound(logRatio: number | null, rounding: "down" | "up"): string {
  if (logRatio === null) return rounding === "down" ? `${MINUS}∞` : "+∞";
  return percentDigits(Math.expm1(logRatio) * 100, rounding);
}

/** Signed digits of a percentage, without the sign `%`: one decimal below 100. */
function percentDigits(percent: number, rounding: "nearest" | "down" | "up"): string {
  if (!Number.isFinite(percent)) return percent > 0 ? "+∞" : `${MINUS}∞`;
  const decimals = Math.abs(percent) < 99.95 ? 1 : 0;
  const step = 10 ** decimals;
  // Nine digits first: 1.1 × 10 is 11.000000000000002 and must not round up to 12.
  const exact = Number((percent * step).toPrecision(9));
  const round = { nearest: Math.round, down: Math.floor, up: Math.ceil }[rounding];
  const rounded = round(exact) / step;
  if (rounded === 0) return "0";
  return `${rounded > 0 ? "+" : MINUS}${grouped(Math.abs(rounded), decimals)}`;
}

/** An unsigned fraction, as in a policy or a share: `10 %`, `2.5 %`, `0.04 %`. */
export function formatFraction(fraction: number | null): string {
  if (fraction === null || !Number.isFinite(fraction)) return NOTHING;
  return `${Number((fraction * 100).toPrecision(3))} %`;
}

/** A measured share of a whole: `71 %`, `0.5 %`, `<0.1 %`. */
export function formatShare(share: number): string {
  if (!Number.isFinite(share)) return NOTHING;
  if (share > 0 && share < 0.0005) return "<0.1 %";
  const decimals = share >= 0.0995 ? 0 : 1;
  return `${Number((share * 100).toFixed(decimals))} %`;
}

/** The smallest detectable change, rounded up: `6.1 %`. */
export function formatDetectable(fraction: number | null): string {
  if (fraction === null) return NOTHING;
  return `${percentDigits(fraction * 100, "up").replace("+", "")} %`;
}

/** `+10 %`: from it on what is proven worse fails, and what passes is shown to be below it. */
export function formatLimit(one: Pick<Comparison, "state" | "floor" | "margin">): string {
  return `+${formatFraction(one.state === "regressed" ? one.floor : one.margin)}`;
}

/** `850 ms`, `2.1 s`, `3 min 20 s`, `1 h 05 min`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return NOTHING;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

/** CPU numbers with runs joined: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const cpu of cpus.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && cpu <= last[1] + 1) last[1] = cpu;
    else runs.push([cpu, cpu]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
