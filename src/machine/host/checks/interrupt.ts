// Checks of interrupts: which devices stop the CPUs that a service is measured on.
import type { CpuSets } from "../../../core/model/host.ts";
import { parseCpuList } from "../parse-host.ts";
import { type Interrupt, parseInterrupts, parseUptime } from "../parse-interrupts.ts";
import { bad, good, type HostFiles, type Judgement, note } from "./check.ts";

/**
 * A second, on the service's CPUs. Each stops a request for microseconds, and wakes what handles
 * it.
 */
const NOTABLE_RATE = 50;
const BAD_RATE = 1000;
const SHOWN = 3;

interface Source {
  interrupt: Interrupt;
  /** A second, on the given CPUs. */
  rate: number;
}

/** Since boot: what this machine's devices usually do. */
export function checkInterrupts(files: HostFiles, sets: CpuSets): Judgement | null {
  const uptime = parseUptime(files.read("/proc/uptime") ?? "");
  const interrupts = parseInterrupts(files.read("/proc/interrupts") ?? "");
  if (uptime === null || interrupts.length === 0) return null;
  return describeInterrupts(busiest(interrupts, sets.service, uptime), sets, "since boot", files);
}

/** Of devices, most frequent first. */
export function busiest(
  interrupts: readonly Interrupt[],
  cpus: readonly number[],
  seconds: number,
): Source[] {
  return interrupts
    .filter(({ movable }) => movable)
    .map((interrupt) => ({
      interrupt,
      rate: cpus.reduce((sum, cpu) => sum + (interrupt.counts.get(cpu) ?? 0), 0) / seconds,
    }))
    .filter(({ rate }) => rate > 0)
    .sort((a, b) => b.rate - a.rate);
}

export function describeInterrupts(
  sources: readonly Source[],
  sets: CpuSets,
  when: string,
  files: HostFiles,
): Judgement | null {
  const rate = sources.reduce((sum, source) => sum + source.rate, 0);
  const where = `CPU${sets.service.length === 1 ? "" : "s"} ${sets.service.join(",")}`;
  if (rate < NOTABLE_RATE) {
    return good(`${Math.round(rate)} device interrupts/s on ${where} ${when}`);
  }
  const top = sources.slice(0, SHOWN);
  const named = top
    .map(({ interrupt, rate: own }) => `${interrupt.device} ${Math.round(own)}`)
    .join(", ");
  const text = `${Math.round(rate)} device interrupts/s on ${where} ${when}, where the service runs (${named}): each holds up a request`;
  const elsewhere = sets.generator.filter((cpu) => !sets.service.includes(cpu));
  const stuck = top.filter(({ interrupt }) => {
    // Where it may be sent to now; empty when that cannot be read.
    const allowed = parseCpuList(files.read(`/proc/irq/${interrupt.id}/smp_affinity_list`) ?? "");
    return allowed.length === 0 || allowed.some((cpu) => sets.service.includes(cpu));
  });
  const fix =
    elsewhere.length === 0 || stuck.length === 0
      ? null
      : `for irq in ${stuck.map(({ interrupt }) => interrupt.id).join(" ")}; do echo ${elsewhere.join(",")} | sudo tee /proc/irq/$irq/smp_affinity_list; done`;
  return rate < BAD_RATE ? note(text, fix) : bad(text, fix);
}
