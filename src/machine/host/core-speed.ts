// How fast the CPUs are, by who occupies them when they are idle. A neighbour on the same core, or a
// limit of power, slows work without a counter that shows it. docs/adr/0038 has what that is worth.

/** Processes that run where nothing else wants to, so that their time is idle time. */
export interface Occupants {
  /** One for each CPU; none: the CPUs are kept awake otherwise. */
  pids: readonly number[];
  /** What they have told so far, by end. Absent: they tell nothing. */
  slow?: readonly SlowStretch[];
}

/** A time in which a CPU was slow, in monotonic ms, and the share of it that this cost. */
export interface SlowStretch {
  cpu: number;
  fromMs: number;
  toMs: number;
  lost: number;
}

/**
 * For node, which is given the CPU's number: works without end, and prints a SlowStretch as JSON for
 * each time of 10 to 20 ms in which the CPU had less than half of its usual speed, and for the first
 * one, as a sign of life. The speed is that of the fastest of 8 or more short pieces of equal work,
 * since others who take the CPU make a piece longer. Usual is the fastest of the first second, and
 * then the median, as far as steps of 0.2 % follow it.
 */
export const SPIN = `
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
let usual = Infinity;
for (let stretch = 0, toMs = nowMs(); ; stretch++) {
  const fromMs = toMs;
  let least = Infinity;
  for (let pieces = 0; pieces < 8 || toMs - fromMs < 10; pieces++) {
    const beganMs = nowMs();
    for (let x = 1, i = 0; i < 10000; i++) x = (Math.imul(x, 1664525) + 1013904223) | 0;
    toMs = nowMs();
    least = Math.min(least, toMs - beganMs);
  }
  usual = stretch < 100 ? Math.min(usual, least) : usual * (least > usual ? 1.002 : 0.998);
  const told = { cpu: Number(process.argv[1]), fromMs: Math.max(fromMs, toMs - 20), toMs, lost: 1 - usual / least };
  if (stretch === 0 || least > 2 * usual) require("node:fs").writeSync(1, JSON.stringify(told) + "\\n");
}`;

/** Share of the time between two moments that the CPU which was slowest then lost, 0 to 1. */
export function shareLost(slow: readonly SlowStretch[], fromMs: number, toMs: number): number {
  const lostMs = (one: SlowStretch): number =>
    one.lost * Math.max(0, Math.min(toMs, one.toMs) - Math.max(fromMs, one.fromMs));
  const byCpu = Map.groupBy(slow, ({ cpu }) => cpu).values();
  const sums = [...byCpu].map((own) => own.reduce((sum, one) => sum + lostMs(one), 0));
  return Math.round((1000 * Math.max(0, ...sums)) / Math.max(1, toMs - fromMs)) / 1000;
}
