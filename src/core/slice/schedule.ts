// Rebuilds a slice's schedule from its rows: when each request was due, and its lag.

/**
 * Lag of each release behind t0 + i / rate, in µs; t0 is the latest origin that makes no request
 * early. Rows of unanswered requests are missing: each row counts as the latest request that it can
 * be, which overstates lag by less than a period, and understates it by at most as many periods as
 * rows are missing. Null: no rows, or too many.
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
