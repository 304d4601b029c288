// Rebuilds the schedule behind a slice's rows: when each request should have been released, and how
// late it was.

/**
 * Lag of each release behind its ideal instant, in microseconds, all >= 0. The i-th request's ideal
 * instant is t0 + i / rate; t0 is not recorded, so it is the latest origin that makes no request
 * early. `release` is ascending.
 *
 * `scheduled` requests were asked for. Those that got no response have no row, and which ones these
 * are is not recorded either: each row then counts as the latest request that it can have been, so
 * that lag is never overstated by more than one period. Null when there are no rows, or more than
 * were asked for.
 */
export function reconstructLag(
  release: Float64Array,
  rateRps: number,
  scheduled: number,
): Float64Array | null {
  const rows = release.length;
  const missing = scheduled - rows;
  if (rows === 0 || missing < 0) return null;
  const periodUs = 1e6 / rateRps;
  let origin = Number.POSITIVE_INFINITY;
  release.forEach((at, row) => {
    origin = Math.min(origin, at - row * periodUs);
  });
  const lag = new Float64Array(rows);
  let next = scheduled;
  for (let row = rows - 1; row >= 0; row--) {
    const sinceOrigin = (release[row] as number) - origin;
    const latest = Math.min(next - 1, row + missing, Math.floor(sinceOrigin / periodUs));
    next = Math.max(row, latest);
    lag[row] = Math.max(0, sinceOrigin - next * periodUs);
  }
  return lag;
}
