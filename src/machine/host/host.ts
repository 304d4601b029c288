// Reads what is known of the machine, once, before anything is measured: the facts that make runs
// comparable, the CPUs to divide, and what doctor finds. Reads only; what the machine does during a
// slice is read elsewhere.
import { readFileSync } from "node:fs";
import { arch } from "node:os";
import type { Finding, Host } from "../../core/model/host.ts";
import { planCpuSets } from "../../core/plan/cpu-sets.ts";
import { listOrEmpty, orNull } from "../sys/or-null.ts";
import { bad, type Checks, type HostFiles, note } from "./checks/check.ts";
import { CPU_CHECKS, perCpu } from "./checks/cpu.ts";
import { checkInterrupts } from "./checks/interrupt.ts";
import { MEMORY_CHECKS } from "./checks/memory.ts";
import { SYSTEM_CHECKS } from "./checks/system.ts";
import { THERMAL_CHECKS } from "./checks/thermal.ts";
import { isInContainer } from "./container.ts";
import { recordReads } from "./evidence.ts";
import { checkHalting } from "./keep-awake.ts";
import * as proc from "./parse-host.ts";

interface HostOptions {
  /** Name and version of the load generator: part of what makes runs comparable. */
  generator: string;
  /** Folder that holds `proc` and `sys`; another than `/` in tests only. */
  root?: string;
}

const ONE_CORE: Finding = {
  id: "cores",
  ...bad("one core for service and load generator: each slows the other, and latencies hold both"),
};
const VIRTUAL: Finding = {
  id: "virtual",
  ...note("a virtual machine: neighbours that cannot be seen share its CPUs and caches"),
};
const CONTAINER: Finding = {
  id: "container",
  ...note("a container: programs outside it take CPU time, and cannot be named or stopped here"),
};

export function readHost(options: HostOptions): Host {
  const files = hostFiles(options.root ?? "");
  const cpu = proc.parseCpuInfo(files.read("/proc/cpuinfo") ?? "");
  const listed = proc.parseCpuList(files.read("/sys/devices/system/cpu/online") ?? "");
  const online = listed.length > 0 ? listed : Array.from({ length: cpu.cpus }, (_, i) => i);
  const allowed = proc
    .parseAllowedCpus(files.read("/proc/self/status") ?? "")
    .filter((number) => online.includes(number));
  const virtual = cpu.hypervisor || files.read("/sys/hypervisor/type") !== null;
  const cores = readCores(files, online);
  const allowedCpus = allowed.length > 0 ? allowed : online.length > 0 ? online : [0];
  const usableCores = cores.filter((core) => core.some((number) => allowedCpus.includes(number)));
  const checked = Object.entries(CHECKS).flatMap(([id, check]) => recorded(id, files, check));
  const sets = planCpuSets({ allowedCpus, cores }, null);
  const hasQuota = checked.some(({ id }) => id === "quota");
  const fingerprint = {
    cpuModel: cpu.model,
    cpus: Math.max(1, online.length),
    memoryGiB: proc.parseMemoryGiB(files.read("/proc/meminfo") ?? "") ?? 0,
    kernel: files.read("/proc/sys/kernel/osrelease") ?? "unknown",
    microcode: cpu.microcode,
    governor: perCpu(files, "cpufreq/scaling_governor").sort().join(", ") || "none",
    smt:
      { "0": "off", "1": "on" }[files.read("/sys/devices/system/cpu/smt/active") ?? ""] ??
      "unknown",
    virtual,
    generator: options.generator,
    ...mitigationsOf(files),
    architecture: arch(),
    pageBytes: proc.parsePageBytes(files.read("/proc/self/smaps") ?? ""),
    hugePages: proc.parseChoice(files.read("/sys/kernel/mm/transparent_hugepage/enabled") ?? ""),
  };
  const findings = [
    ...(usableCores.length < 2 ? [ONE_CORE] : []),
    ...(isInContainer(options.root) ? [CONTAINER] : []),
    ...(virtual ? [VIRTUAL, checkHalting({ hasQuota, root: options.root ?? "" })] : []),
    ...checked,
    ...recorded("interrupts", files, (read) => checkInterrupts(read, sets)),
  ];
  return { fingerprint, allowedCpus, cores, findings };
}

const CHECKS: Checks = { ...CPU_CHECKS, ...THERMAL_CHECKS, ...MEMORY_CHECKS, ...SYSTEM_CHECKS };

/** What a check finds, with what it read. */
function recorded(id: string, files: HostFiles, check: Checks[string]): Finding[] {
  const { recorded: read, evidence } = recordReads(files);
  const found = check(read);
  return found === null ? [] : [{ id, ...found, evidence: evidence() }];
}

function mitigationsOf(files: HostFiles): Pick<Host["fingerprint"], "mitigations"> {
  const folder = "/sys/devices/system/cpu/vulnerabilities";
  const states = files.list(folder).flatMap((name) => files.read(`${folder}/${name}`) ?? []);
  return states.length === 0 ? {} : { mitigations: proc.summarizeMitigations(states) };
}

/** CPUs that share a physical core, by what each says of its siblings. */
function readCores(files: HostFiles, online: readonly number[]): number[][] {
  const cores = new Map<string, number[]>();
  for (const cpu of online) {
    const folder = `/sys/devices/system/cpu/cpu${cpu}/topology`;
    const text =
      files.read(`${folder}/core_cpus_list`) ?? files.read(`${folder}/thread_siblings_list`);
    const siblings = proc.parseCpuList(text ?? "").filter((sibling) => online.includes(sibling));
    const core = siblings.includes(cpu) ? siblings : [cpu];
    cores.set(core.join(","), core);
  }
  return [...cores.values()].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
}

/** `root`: see HostOptions. */
export function hostFiles(root: string): HostFiles {
  return {
    read: (path) => orNull(() => readFileSync(root + path, "utf8").trim()),
    list: (path) => listOrEmpty(root + path).sort(),
  };
}
