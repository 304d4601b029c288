// Which cases a night tries, and the memory that it has taken.

/** Those of other nights are others. What a failure names is tried again by FUZZ_SEED. */
export const FIRST_SEED = Number(
  process.env.FUZZ_SEED ?? Math.floor(Date.now() / 86_400_000) * 100_000,
);

/** Of this process, so far. */
export const peakMib = (): number => Math.round(process.resourceUsage().maxRSS / 1024);
