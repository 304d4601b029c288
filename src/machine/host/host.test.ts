import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { arch } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { type Finding, type Host, HostSchema } from "../../core/model/host.ts";
import { readHost } from "./host.ts";

type Tree = Readonly<Record<string, string>>;

const CPU = "sys/devices/system/cpu";
const CGROUP = "sys/fs/cgroup";
const PAGES = "sys/kernel/mm/transparent_hugepage";
const SENSORS = "sys/class/hwmon";
const ZONE = "sys/class/thermal/thermal_zone0";
const folder = sharedFolder();
let trees = 0;

function hostOf(tree: Tree): Host {
  const root = join(folder, String(trees++));
  mkdirSync(root);
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return HostSchema.parse(readHost({ generator: "oha 1.16.0", root }));
}

/** A tuned machine of two cores with two threads each. */
const QUIET: Tree = {
  "proc/cpuinfo": "processor : 0\nmodel name : Xeon\nmicrocode : 0x2b\nflags : fpu\n",
  "proc/meminfo": "MemTotal: 33554432 kB",
  "proc/sys/kernel/osrelease": "6.12.0",
  "proc/sys/kernel/randomize_va_space": "2",
  "proc/self/status": "Cpus_allowed_list:\t0-3",
  "proc/self/smaps": "0-1 r--p 0 0:0 1 /bin/node\nSize: 32 kB\nKernelPageSize:       16 kB\n",
  "proc/self/limits": "Max open files 65536 65536 files",
  "proc/self/cgroup": "0::/runner.service",
  "proc/swaps": "Filename Type Size Used Priority",
  "proc/stat": "cpu 100 0 100 800 0 0 0 0 0 0",
  "proc/pressure/cpu": "some avg10=0.00 avg60=0.00",
  [`${CGROUP}/runner.service/cpu.max`]: "max 100000",
  [`${PAGES}/enabled`]: "always [madvise] never",
  "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
  [`${CPU}/online`]: "0-3",
  [`${CPU}/smt/active`]: "1",
  [`${CPU}/intel_pstate/no_turbo`]: "1",
  ...Object.fromEntries(
    [0, 1, 2, 3].flatMap((cpu) => [
      [`${CPU}/cpu${cpu}/topology/core_cpus_list`, cpu % 2 === 0 ? "0,2" : "1,3"],
      [`${CPU}/cpu${cpu}/cpufreq/scaling_governor`, "performance"],
      [`${CPU}/cpu${cpu}/cpufreq/scaling_min_freq`, "2400000"],
      [`${CPU}/cpu${cpu}/cpufreq/scaling_max_freq`, "2400000"],
    ]),
  ),
  [`${CPU}/cpu0/cpuidle/state0/name`]: "POLL",
  [`${CPU}/cpu0/cpuidle/state0/latency`]: "0",
};

test.each([
  ["a machine", "pid:[4026531836]", 0],
  ["a container", "pid:[4026532201]", 1],
])("%s is told by its processes", (_, namespace, count) => {
  const root = join(folder, `processes-${count}`);
  mkdirSync(join(root, "proc/self/ns"), { recursive: true });
  symlinkSync(namespace, join(root, "proc/self/ns/pid"));
  const { findings } = readHost({ generator: "", root });
  expect(findings.filter(({ id }) => id === "container")).toHaveLength(count);
});

describe("facts", () => {
  test("a machine with cores of two threads", () => {
    const host = hostOf(QUIET);
    expect(host.fingerprint).toEqual({
      cpuModel: "Xeon",
      cpus: 4,
      memoryGiB: 32,
      kernel: "6.12.0",
      microcode: "0x2b",
      governor: "performance",
      smt: "on",
      virtual: false,
      generator: "oha 1.16.0",
      architecture: arch(),
      pageBytes: 16_384,
      hugePages: "madvise",
    });
    expect(host.cores).toEqual([
      [0, 2],
      [1, 3],
    ]);
    expect(host.allowedCpus).toEqual([0, 1, 2, 3]);
    expect(host.findings.filter(({ level }) => level === "bad")).toEqual([]);
  });

  test("only allowed and online CPUs count", () => {
    const host = hostOf({
      ...QUIET,
      "proc/self/status": "Cpus_allowed_list:\t1-7",
      [`${CPU}/online`]: "0-2",
    });
    expect(host.allowedCpus).toEqual([1, 2]);
    expect(host.cores).toEqual([[0, 2], [1]]);
  });

  test("without /proc and /sys there is one CPU", () => {
    const host = hostOf({});
    expect(host.allowedCpus).toEqual([0]);
    expect(host.fingerprint).toMatchObject({ cpus: 1, cpuModel: "unknown", governor: "none" });
    expect(host.findings.map(({ id }) => id)).toEqual(["cores"]);
  });

  test("this machine's facts match the schema", () => {
    const host = HostSchema.parse(readHost({ generator: "none" }));
    expect(host.cores.flat()).toEqual(expect.arrayContaining(host.allowedCpus));
  });
});

test("CPU vulnerability mitigations are part of the fingerprint", () => {
  const folder = `${CPU}/vulnerabilities`;
  const { fingerprint } = hostOf({
    ...QUIET,
    [`${folder}/meltdown`]: "Mitigation: PTI",
    [`${folder}/mds`]: "Vulnerable: no microcode",
    [`${folder}/l1tf`]: "Not affected",
  });
  expect(fingerprint.mitigations).toBe("1 mitigated, 1 open");
});

test("a finding lists the files it was derived from", () => {
  const { findings } = hostOf(QUIET);
  const evidence = (id: string) => findings.find((finding) => finding.id === id)?.evidence;
  expect(evidence("governor")).toEqual([
    "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: performance (4 files)",
  ]);
  // Of a file of many lines, its path.
  expect(evidence("open-files")).toEqual(["/proc/self/limits: Max open files 65536 65536 files"]);
  // What each process calls itself is not repeated: the finding names those that matter.
  const busy = hostOf({ ...QUIET, "proc/10/comm": "apt-get" }).findings;
  expect(busy.find(({ id }) => id === "programs")?.evidence).toEqual([]);
  expect(evidence("swap")).toEqual(["/proc/swaps: Filename Type Size Used Priority"]);
});

describe("findings", () => {
  /**
   * What differs from the quiet machine, and the finding that follows: level, words of its text,
   * words of its fix; absent: it has none.
   */
  const cases: [string, Tree, Finding["level"], string, string?][] = [
    ["governor", {}, "good", "performance"],
    [
      "governor",
      { [`${CPU}/cpu1/cpufreq/scaling_governor`]: "powersave" },
      "bad",
      "performance, powersave",
      "echo performance | sudo tee",
    ],
    ["frequency", {}, "good", "2400 MHz"],
    [
      "frequency",
      { [`${CPU}/cpu1/cpufreq/scaling_min_freq`]: "800000" },
      "note",
      "between 800 MHz and 2400 MHz",
      "cpupower",
    ],
    [
      "energy-preference",
      { [`${CPU}/cpu0/cpufreq/energy_performance_preference`]: "balance_power" },
      "note",
      "balance_power",
      "tee",
    ],
    ["turbo", {}, "good", "turbo off"],
    [
      "turbo",
      { [`${CPU}/intel_pstate/no_turbo`]: "0" },
      "note",
      "turbo on",
      "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
    ],
    ["smt", {}, "note", "share each core", "echo off"],
    ["smt", { [`${CPU}/smt/active`]: "0" }, "good", "no two CPUs"],
    ["isolation", { [`${CPU}/isolated`]: "2-3" }, "note", "CPUs 2-3 are isolated"],
    ["sleep-states", {}, "good", "quickly"],
    [
      "sleep-states",
      { [`${CPU}/cpu0/cpuidle/state1/latency`]: "130", [`${CPU}/cpu0/cpuidle/state1/name`]: "C6" },
      "note",
      "C6 (130 us)",
      "cpupower",
    ],
    [
      "sleep-states",
      {
        [`${CPU}/cpu0/cpuidle/state1/latency`]: "130",
        [`${CPU}/cpu0/cpuidle/state1/disable`]: "1",
      },
      "good",
      "quickly",
    ],
    ["huge-pages", {}, "good", "madvise"],
    [
      "huge-pages",
      { [`${PAGES}/enabled`]: "[always] madvise never" },
      "bad",
      "RSS",
      "echo madvise",
    ],
    ["ksm", { "sys/kernel/mm/ksm/run": "1" }, "bad", "merging", "echo 0"],
    [
      "address-layout",
      { "proc/sys/kernel/randomize_va_space": "0" },
      "note",
      "not fully",
      "sysctl",
    ],
    ["swap", {}, "good", "no swap"],
    [
      "swap",
      { "proc/swaps": "Filename\n/dev/a partition 100 0 -2" },
      "note",
      "swap is on",
      "swapoff",
    ],
    [
      "swap",
      { "proc/swaps": "Filename\n/dev/a partition 4096 2048 -2" },
      "bad",
      "2 MiB swapped",
      "swapoff",
    ],
    [
      "numa",
      { "sys/devices/system/node/online": "0-1", "proc/sys/kernel/numa_balancing": "1" },
      "bad",
      "2 memory nodes",
      "sysctl",
    ],
    ["numa", { "sys/devices/system/node/online": "0-1" }, "note", "2 memory nodes"],
    ["clock-source", {}, "good", "tsc"],
    [
      "clock-source",
      { "sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet" },
      "bad",
      "hpet",
      "echo tsc",
    ],
    ["pressure", {}, "good", "nothing waited"],
    ["pressure", { "proc/pressure/io": "some avg10=2.50" }, "note", "io 2.5 %", "top"],
    ["pressure", { "proc/pressure/cpu": "some avg10=50.00" }, "bad", "cpu 50 %", "top"],
    ["steal", { "proc/stat": "cpu 100 0 100 790 0 0 0 10" }, "bad", "1.00 %"],
    ["steal", { "proc/stat": "cpu 1000 0 1000 7999 0 0 0 10" }, "note", "0.10 %"],
    ["quota", { [`${CGROUP}/runner.service/cpu.max`]: "150000 100000" }, "bad", "1.5 CPUs"],
    ["quota", { [`${CGROUP}/cpu.max`]: "200000 100000" }, "bad", "2 CPUs"],
    [
      "quota",
      {
        "proc/self/cgroup": "1:cpu:/a",
        [`${CGROUP}/cpu/a/cpu.cfs_quota_us`]: "50000",
        [`${CGROUP}/cpu/a/cpu.stat`]: "nr_periods 9\nnr_throttled 7\nthrottled_time 1",
        [`${CGROUP}/cpu/a/cpu.cfs_period_us`]: "100000",
      },
      "bad",
      "0.5 CPUs: once that is used up everything stands still for the rest of the period, which has happened 7 times",
    ],
    ["thermal", { [`${CPU}/cpu2/thermal_throttle/core_throttle_count`]: "0" }, "good", "never"],
    ["thermal", { [`${CPU}/cpu2/thermal_throttle/core_throttle_count`]: "12" }, "note", "12 times"],
    [
      "thermal",
      { [`${CPU}/cpu1/thermal_throttle/package_throttle_count`]: "3" },
      "note",
      "3 times",
    ],
    ["nmi-watchdog", { "proc/sys/kernel/nmi_watchdog": "1" }, "note", "interrupts", "sysctl"],
    ["open-files", {}, "good", "65536"],
    [
      "open-files",
      { "proc/self/limits": "Max open files 1024 4096 files" },
      "bad",
      "1024",
      "ulimit",
    ],
    [
      "ports",
      { "proc/sys/net/ipv4/ip_local_port_range": "50000 60999" },
      "note",
      "11000 local ports",
      "sysctl",
    ],
    [
      "ports",
      { "proc/net/sockstat": "TCP: inuse 1 orphan 0 tw 5000 alloc 1 mem 1" },
      "note",
      "5000 closed",
    ],
    ["backlog", { "proc/sys/net/core/somaxconn": "128" }, "note", "128", "sysctl"],
    [
      "programs",
      { "proc/10/comm": "Runner.Worker", "proc/11/comm": "Runner.Worker" },
      "bad",
      "2 GitHub jobs",
    ],
    ["programs", { "proc/10/comm": "apt-get" }, "bad", "apt-get running"],
    ["programs", { "proc/10/comm": "irqbalance" }, "note", "interrupts", "systemctl"],
    ["isolation", { [`${CPU}/nohz_full`]: "1-3" }, "note", "CPUs 1-3 are tickless"],
    [
      "memory-limit",
      { [`${CGROUP}/runner.service/memory.max`]: "1073741824" },
      "note",
      "1024 MiB",
      "echo max | sudo tee /sys/fs/cgroup/runner.service/memory.max",
    ],
    ["memory-limit", { [`${CGROUP}/memory.max`]: "8589934592" }, "good", "8192 MiB"],
    [
      "memory-limit",
      {
        [`${CGROUP}/memory.max`]: "8589934592",
        [`${CGROUP}/memory.current`]: "8000000000",
      },
      "bad",
      "93 % of it",
      "echo max",
    ],
    [
      "memory-limit",
      {
        "proc/self/cgroup": "4:memory:/a b;c",
        [`${CGROUP}/memory/a b;c/memory.limit_in_bytes`]: "1048576",
      },
      "note",
      "1 MiB",
    ],
    [
      "huge-page-defrag",
      { [`${PAGES}/defrag`]: "[always] defer madvise never" },
      "bad",
      "milliseconds",
      "echo madvise",
    ],
    [
      "swappiness",
      { "proc/swaps": "Filename\n/dev/a partition 100 0 -2", "proc/sys/vm/swappiness": "60" },
      "note",
      "swappiness 60",
      "vm.swappiness=1",
    ],
    [
      "temperature",
      {
        [`${ZONE}/type`]: "x86_pkg_temp",
        [`${ZONE}/temp`]: "91000",
        [`${ZONE}/trip_point_0_type`]: "passive",
        [`${ZONE}/trip_point_0_temp`]: "95000",
        [`${ZONE}/trip_point_1_type`]: "active",
        [`${ZONE}/trip_point_1_temp`]: "50000",
      },
      "bad",
      "x86_pkg_temp at 91 °C, limit 95 °C",
    ],
    [
      "temperature",
      {
        [`${SENSORS}/hwmon0/name`]: "k10temp",
        [`${SENSORS}/hwmon0/temp1_input`]: "62000",
        [`${SENSORS}/hwmon0/temp1_label`]: "Tctl",
        [`${SENSORS}/hwmon0/temp1_max`]: "70000",
        [`${SENSORS}/hwmon1/name`]: "nvme",
        [`${SENSORS}/hwmon1/temp1_input`]: "40000",
        [`${SENSORS}/hwmon1/temp1_crit`]: "85000",
      },
      "bad",
      "Tctl at 62 °C",
    ],
    [
      "temperature",
      {
        [`${SENSORS}/hwmon1/name`]: "nvme",
        [`${SENSORS}/hwmon1/temp1_input`]: "40000",
        [`${SENSORS}/hwmon1/temp1_crit`]: "85000",
      },
      "good",
      "nvme at 40 °C, limit 85 °C",
    ],
    [
      "interrupts",
      {
        "proc/uptime": "100.0 90.0",
        "proc/interrupts":
          "CPU0 CPU1 CPU2 CPU3\n36: 9 20000 0 0 PCI eth0-rx\nLOC: 900000 900000 0 0 Local timer",
        "proc/irq/36/smp_affinity_list": "0-3",
      },
      "note",
      "200 device interrupts/s on CPU 1 since boot, where the service runs (eth0-rx 200)",
      "for irq in 36; do echo 0 | sudo tee",
    ],
    [
      "interrupts",
      {
        "proc/uptime": "100.0 90.0",
        "proc/interrupts": "CPU0 CPU1 CPU2 CPU3\n36: 9 200000 0 0 PCI eth0-rx",
        // Sent elsewhere meanwhile: nothing is left to do.
        "proc/irq/36/smp_affinity_list": "0",
      },
      "bad",
      "2000 device",
    ],
    [
      "interrupts",
      {
        "proc/uptime": "100.0 90.0",
        "proc/interrupts": "CPU0 CPU1 CPU2 CPU3\n36: 900000 9 0 0 PCI eth0-rx",
      },
      "good",
      "0 device",
    ],
    [
      "virtual",
      { "proc/cpuinfo": "processor : 0\nflags : fpu hypervisor\n" },
      "note",
      "virtual machine",
    ],
    ["cores", { "proc/self/status": "Cpus_allowed_list:\t0,2" }, "bad", "one core"],
  ];
  test.each(cases)("%s %j", (id, tree, level, text, fix) => {
    const found = hostOf({ ...QUIET, ...tree }).findings.filter((finding) => finding.id === id);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ level, text: expect.stringContaining(text) });
    if (fix === undefined) expect(found[0]?.fix).toBe(null);
    else expect(found[0]?.fix).toContain(fix);
  });

  const silent: [string, Tree][] = [
    ["ksm", { "sys/kernel/mm/ksm/run": "0" }],
    ["memory-limit", { [`${CGROUP}/runner.service/memory.max`]: "max" }],
    ["memory-limit", { [`${CGROUP}/memory.max`]: "137438953472" }],
    ["huge-page-defrag", { [`${PAGES}/defrag`]: "always [madvise] never" }],
    ["swappiness", { "proc/sys/vm/swappiness": "60" }],
    ["temperature", { [`${SENSORS}/hwmon0/temp1_input`]: "62000" }],
    ["interrupts", {}],
    ["numa", { "sys/devices/system/node/online": "0" }],
    ["isolation", { [`${CPU}/isolated`]: "" }],
    ["steal", {}],
    ["quota", {}],
    ["thermal", {}],
    ["ports", {}],
    ["backlog", { "proc/sys/net/core/somaxconn": "4096" }],
    ["programs", { "proc/10/comm": "Runner.Worker", "proc/self/comm": "apt-get" }],
  ];
  test.each(silent)("%s: nothing to say about %j", (id, tree) => {
    expect(hostOf({ ...QUIET, ...tree }).findings.map((finding) => finding.id)).not.toContain(id);
  });
});
