// From values to pixels, and where to put ticks. Pure geometry: knows no unit.

export interface Scale {
  /** Pixel of a value; values outside the domain are moved to its edge. */
  at(value: number): number;
  domain: readonly [low: number, high: number];
}

interface Extent {
  domain: readonly [low: number, high: number];
  range: readonly [from: number, to: number];
}

export function linearScale({ domain, range }: Extent): Scale {
  const [low, high] = domain;
  const span = high - low || 1;
  return {
    domain,
    at: (value) => range[0] + ((clamp(value, low, high) - low) / span) * (range[1] - range[0]),
  };
}

/** Both ends of the domain are positive. */
export function logScale({ domain, range }: Extent): Scale {
  const inner = linearScale({ domain: [Math.log(domain[0]), Math.log(domain[1])], range });
  return { domain, at: (value) => inner.at(Math.log(Math.max(value, Number.MIN_VALUE))) };
}

/** About `count` round numbers within the domain. */
export function linearTicks([low, high]: Scale["domain"], count: number): number[] {
  const raw = (high - low) / Math.max(1, count);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  // Bounded: a span that is lost in the rounding of its ends could hold any number.
  const last = Math.min(Math.floor(high / step + 1e-9), first + 2 * count);
  // Multiples, not a running sum, and rounded: 0.1 + 0.2 is no tick.
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) =>
    Number(((first + index) * step).toPrecision(12)),
  );
}

/** Of what is counted from 1: rounds, launches. */
export function countTicks(domain: Scale["domain"]): number[] {
  return linearTicks(domain, 10).filter((value) => Number.isInteger(value) && value >= 1);
}

/** 1, 2, 5, 10, … within the domain; only powers of ten where those would crowd. */
export function logTicks([low, high]: Scale["domain"], most = 8): number[] {
  const ticks = (factors: readonly number[]): number[] => {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      found.push(...factors.map((factor) => Number((factor * 10 ** power).toPrecision(12))));
    }
    return found.filter((value) => value >= low * 0.999 && value <= high * 1.001);
  };
  const fine = ticks([1, 2, 5]);
  return fine.length <= most ? fine : ticks([1]);
}

/** The least domain that holds all values, widened by a share of its span; never empty. */
export function paddedDomain(values: readonly number[], share: number): [number, number] {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return [0, 1];
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  const padding = (high - low || Math.abs(high) * 0.1 || 1) * share;
  return [low - padding, high + padding];
}

/** Far below all that is measured, and far enough above zero to have neighbours. */
const LEAST = 1e-9;

/** The same for a logarithmic axis: values that are not positive do not count. */
export function paddedLogDomain(values: readonly number[], share: number): [number, number] {
  const logs = values.filter((value) => value > LEAST && Number.isFinite(value)).map(Math.log);
  if (logs.length === 0) return [1, 10];
  const [low, high] = paddedDomain(logs, share);
  return [Math.exp(low), Math.exp(high)];
}

/** Moves positions at least `gap` apart in their order, for labels beside lines. */
export function spread(positions: readonly number[], gap: number): number[] {
  const order = positions
    .map((position, index) => ({ position, index }))
    .sort((a, b) => a.position - b.position);
  const out = [...positions];
  let previous = Number.NEGATIVE_INFINITY;
  for (const { position, index } of order) {
    previous = Math.max(position, previous + gap);
    out[index] = previous;
  }
  // Shifted back by half of what was pushed, so that the group stays around its lines.
  const pushed = out.reduce((sum, value, index) => sum + value - (positions[index] ?? 0), 0);
  const shift = out.length === 0 ? 0 : pushed / out.length;
  return out.map((value) => value - shift);
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
