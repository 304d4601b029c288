// Rebuilds the schedule behind a slice's rows: when each request should have been released, and how late it was.

/**
 * Lag of each release behind its ideal instant, in microseconds, all >= 0 and at least one 0. The i-th request's ideal instant is
 * t0 + i / rate; t0 is not recorded, so it is the latest origin that makes no request early.
 *
 * `scheduled` requests were asked for. When some got no response and so have no row, indices shift and lag cannot be told
 * apart from the gap: null then.
 */
export function reconstructLag(
  release: Float64Array,
  rateRps: number,
  scheduled: number,
): Float64Array | null {
  if (release.length !== scheduled || release.length === 0) return null;
  const periodUs = 1e6 / rateRps;
  let origin = Number.POSITIVE_INFINITY;
  release.forEach((at, i) => {
    origin = Math.min(origin, at - i * periodUs);
  });
  return release.map((at, i) => at - i * periodUs - origin);
}
