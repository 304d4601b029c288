// /proc/interrupts to values. Pure.

export interface Interrupt {
  /** `36`, or a name such as `LOC` where no device raises it. */
  id: string;
  /** Since boot, by CPU number. */
  counts: ReadonlyMap<number, number>;
  /** What raises it: `virtio1-req.0`. */
  device: string;
  /** A device's: it can be sent to other CPUs. */
  movable: boolean;
}

/** But for those that each CPU of ARM has for itself, such as its timer: its GIC numbers them 16 to 31. */
const MOVABLE = /^\s*\d+:(?!.*\bGIC\S*\s+(1[6-9]|2\d|3[01])\s)/;

/** Lines that are none of the format are left out. */
export function parseInterrupts(text: string): Interrupt[] {
  const [header = "", ...lines] = text.split("\n");
  const cpus = [...header.matchAll(/CPU(\d+)/g)].map((match) => Number(match[1]));
  return lines.flatMap((line) => {
    const match = /^\s*([A-Za-z0-9]+):\s*(.*)$/.exec(line);
    if (match === null) return [];
    const [, id = "", rest = ""] = match;
    const words = rest.split(/\s+/);
    const numbers = words.slice(0, cpus.length).map(Number);
    if (numbers.length === 0 || numbers.some((n) => !Number.isFinite(n))) return [];
    const counts = new Map(cpus.map((cpu, i) => [cpu, numbers[i] ?? 0]));
    return [{ id, counts, device: words.at(-1) ?? id, movable: MOVABLE.test(line) }];
  });
}

/** First figure of /proc/uptime, seconds; null when it is none. */
export function parseUptime(text: string): number | null {
  const seconds = Number(text.split(" ")[0]);
  return seconds > 0 ? seconds : null;
}
