// Checks of the CPUs: how fast and how evenly they run, who shares them, and who takes them away.

import {
  parseCgroupFolders,
  parseCpuList,
  parseCpuMax,
  parseCpuTimesTotal,
  readThrottled,
} from "../parse-host.ts";
import { bad, type Checks, good, type HostFiles, note, writeTo } from "./check.ts";

const CPU = "/sys/devices/system/cpu";
const CPUFREQ = `${CPU}/cpu*/cpufreq`;

/**
 * Waking from a deeper state than this adds to latencies that are measured in tens of microseconds.
 */
const SLOW_WAKE_US = 20;
const NOTABLE_STEAL = 0.0005;
const BAD_STEAL = 0.005;

/** The distinct values of a file that each CPU has, in the order met. */
export function perCpu(files: HostFiles, name: string): string[] {
  return [...new Set(ofEachCpu(files, name))];
}

function ofEachCpu(files: HostFiles, name: string): string[] {
  const entries = files.list(CPU).filter((entry) => /^cpu\d+$/.test(entry));
  return entries.flatMap((entry) => files.read(`${CPU}/${entry}/${name}`) ?? []);
}

/** How often each CPU, and each package, slowed down for heat since boot. */
export function throttleCounts(files: HostFiles): number[] {
  return ["core_throttle_count", "package_throttle_count"].flatMap((name) =>
    ofEachCpu(files, `thermal_throttle/${name}`).map(Number),
  );
}

export const CPU_CHECKS: Checks = {
  governor: (files) => {
    const seen = perCpu(files, "cpufreq/scaling_governor");
    if (seen.length === 0) return null;
    const text = `governor ${seen.join(", ")}`;
    return seen.every((value) => value === "performance")
      ? good(text)
      : bad(
          `${text}: the clock follows the load with a delay, so the first requests of a measurement run slower`,
          writeTo("performance", `${CPUFREQ}/scaling_governor`),
        );
  },

  frequency: (files) => {
    const least = perCpu(files, "cpufreq/scaling_min_freq").map(Number);
    const most = perCpu(files, "cpufreq/scaling_max_freq").map(Number);
    if (least.length === 0 || most.length === 0) return null;
    const [low, high] = [Math.min(...least), Math.max(...most)];
    const mhz = (khz: number) => `${Math.round(khz / 1000)} MHz`;
    return low === high
      ? good(`clock fixed at ${mhz(high)}`)
      : note(
          `clock free between ${mhz(low)} and ${mhz(high)}: part of the noise between measurements`,
          `sudo cpupower frequency-set --min ${high}kHz --max ${high}kHz`,
        );
  },

  "energy-preference": (files) => {
    const name = "cpufreq/energy_performance_preference";
    const seen = perCpu(files, name);
    if (seen.length === 0) return null;
    return seen.every((value) => value === "performance")
      ? good("energy preference performance")
      : note(
          `energy preference ${seen.join(", ")}: the CPU may clock down between requests`,
          writeTo("performance", `${CPU}/cpu*/${name}`),
        );
  },

  turbo: (files) => {
    const intel = `${CPU}/intel_pstate/no_turbo`;
    const other = `${CPU}/cpufreq/boost`;
    const [noTurbo, boost] = [files.read(intel), files.read(other)];
    if (noTurbo === null && boost === null) return null;
    if (noTurbo === "1" || boost === "0") return good("turbo off");
    return note(
      "turbo on: the clock depends on temperature and on what other cores do; builds that take turns share most of it",
      noTurbo === null ? writeTo("0", other) : writeTo("1", intel),
    );
  },

  smt: (files) => {
    const active = files.read(`${CPU}/smt/active`);
    if (active === null) return null;
    return active === "0"
      ? good("no two CPUs share a core")
      : note(
          "two CPUs share each core: only one of each pair is used, unless runner.cpus says otherwise; other programs on the second one slow it",
          writeTo("off", `${CPU}/smt/control`),
        );
  },

  /**
   * Isolated and tickless CPUs help only those who are placed on them by hand, one thread a CPU.
   */
  isolation: (files) => {
    const kinds = [
      [
        "isolated",
        "isolated: the kernel does not spread threads over them, so all threads of a service may crowd one",
      ],
      ["nohz_full", "tickless: fine for one thread each, slow to switch between several"],
    ] as const;
    const found = kinds.flatMap(([name, effect]) => {
      const cpus = files.read(`${CPU}/${name}`) ?? "";
      return parseCpuList(cpus).length === 0 ? [] : [`CPUs ${cpus} are ${effect}`];
    });
    return found.length === 0 ? null : note(found.join("; "));
  },

  "sleep-states": (files) => {
    const root = `${CPU}/cpu0/cpuidle`;
    const slow = files.list(root).flatMap((state) => {
      const latency = Number(files.read(`${root}/${state}/latency`) ?? "0");
      const enabled = files.read(`${root}/${state}/disable`) !== "1";
      const name = files.read(`${root}/${state}/name`) ?? state;
      return enabled && latency > SLOW_WAKE_US ? [`${name} (${latency} us)`] : [];
    });
    if (files.list(root).length === 0) return null;
    return slow.length === 0
      ? good("idle CPUs wake up quickly")
      : note(
          `idle CPUs may sleep as deep as ${slow.join(", ")}: waking up is inside latencies at low rates`,
          `sudo cpupower idle-set --disable-by-latency ${SLOW_WAKE_US}`,
        );
  },

  "clock-source": (files) => {
    const root = "/sys/devices/system/clocksource/clocksource0";
    const value = files.read(`${root}/current_clocksource`);
    if (value === null) return null;
    return value === "hpet" || value === "acpi_pm"
      ? bad(
          `clock source ${value}: reading the time takes microseconds and is in every latency`,
          writeTo("tsc", `${root}/current_clocksource`),
        )
      : good(`clock source ${value}`);
  },

  steal: (files) => {
    const { stealMs, cpuMs } = parseCpuTimesTotal(files.read("/proc/stat") ?? "");
    const share = cpuMs > 0 ? stealMs / cpuMs : 0;
    if (share < NOTABLE_STEAL) return null;
    const text = `since boot the hypervisor gave ${(share * 100).toFixed(2)} % of CPU time to others: rounds hit by it prove no pass`;
    return share >= BAD_STEAL ? bad(text) : note(text);
  },

  quota: (files) => {
    // The tightest limit on the way up counts.
    const limits = parseCgroupFolders(files.read("/proc/self/cgroup") ?? "", "cpu")
      .map(({ folder, isUnified }) => {
        const names = isUnified ? ["cpu.max"] : ["cpu.cfs_quota_us", "cpu.cfs_period_us"];
        return parseCpuMax(names.map((name) => files.read(`${folder}/${name}`) ?? "").join(" "));
      })
      .filter((limit) => limit !== null);
    if (limits.length === 0) return null;
    const stopped = readThrottled((path) => files.read(path) ?? "");
    const often = stopped === 0 ? "" : `, which has happened ${stopped} times`;
    return bad(
      `a control group allows ${Math.min(...limits)} CPUs: once that is used up everything stands still for the rest of the period${often}`,
    );
  },

  thermal: (files) => {
    const counts = throttleCounts(files);
    if (counts.length === 0) return null;
    const most = Math.max(...counts);
    return most === 0
      ? good("never throttled by heat")
      : note(`throttled by heat ${most} times since boot: check the cooling`);
  },

  "nmi-watchdog": (files) =>
    files.read("/proc/sys/kernel/nmi_watchdog") === "1"
      ? note(
          "the NMI watchdog interrupts every CPU at intervals",
          "sudo sysctl kernel.nmi_watchdog=0",
        )
      : null,
};
