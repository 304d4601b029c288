import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseAllowedCpus,
  parseCgroupFolders,
  parseChoice,
  parseCounters,
  parseCpuInfo,
  parseCpuList,
  parseCpuMax,
  parseCpuTimesTotal,
  parseMemoryGiB,
  parseMemoryLimit,
  parseOpenFilesLimit,
  parsePortCount,
  parsePressure,
  parseSwapUsedKib,
  parseTimeWait,
  readThrottled,
  summarizeMitigations,
} from "./parse-host.ts";
import { parseProcStat } from "./parse-proc.ts";

const X86 = `processor\t: 0
vendor_id\t: AuthenticAMD
model\t\t: 1
model name\t: AMD EPYC
microcode\t: 0x1000065
flags\t\t: fpu vme hypervisor lahf_lm

processor\t: 1
model name\t: AMD EPYC
`;
const ARM = `processor\t: 0
BogoMIPS\t: 243.75
Features\t: fp asimd
CPU implementer\t: 0x41
CPU part\t: 0xd40
`;
const SWAPS = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

const STOPS: Readonly<Record<string, number>> = {
  "/sys/fs/cgroup/cpu": 1,
  "/sys/fs/cgroup/cpu/a": 2,
  "/sys/fs/cgroup": 4,
  "/sys/fs/cgroup/system.slice": 8,
  "/sys/fs/cgroup/cpu/b": 16,
  "/sys/fs/cgroup/system.slice/runner.service": 32,
};

const filesOf = (groups: string) => (path: string) => {
  if (path === "/proc/self/cgroup") return groups;
  const stops = STOPS[path.replace(/\/cpu\.stat$/, "")];
  return `usage_usec 1\nnr_periods 4\nnr_throttled ${stops}\n`;
};

describe("texts of the kernel", () => {
  const cases: [string, unknown, unknown][] = [
    ["a list of CPUs", parseCpuList("0-2,6,8-9\n"), [0, 1, 2, 6, 8, 9]],
    ["no CPUs", parseCpuList("\n"), []],
    ["a range that goes back", parseCpuList("3-1"), []],
    [
      "cpuinfo",
      parseCpuInfo(X86),
      { model: "AMD EPYC", microcode: "0x1000065", cpus: 2, hypervisor: true },
    ],
    [
      "cpuinfo on ARM",
      parseCpuInfo(ARM),
      { model: "ARM 0x41 0xd40", microcode: "unknown", cpus: 1, hypervisor: false },
    ],
    ["memory", parseMemoryGiB("MemTotal:       24620212 kB\nMemFree: 1 kB"), 23.5],
    ["little memory", parseMemoryGiB("MemTotal:       100000 kB\n"), 0.5],
    ["no memory", parseMemoryGiB(""), null],
    [
      "allowed CPUs",
      parseAllowedCpus("Cpus_allowed:\tff\nCpus_allowed_list:\t0-3\n"),
      [0, 1, 2, 3],
    ],
    ["a choice", parseChoice("always [madvise] never"), "madvise"],
    ["no choice", parseChoice("always"), null],
    [
      "times",
      parseCpuTimesTotal("cpu  10 0 10 70 0 0 0 10 5 0\ncpu0 1"),
      { cpuMs: 1000, stealMs: 100 },
    ],
    ["no steal field", parseCpuTimesTotal("cpu  10 0 10 70\n"), { cpuMs: 900, stealMs: 0 }],
    ["no times", parseCpuTimesTotal(""), { cpuMs: 0, stealMs: 0 }],
    ["pressure", parsePressure("some avg10=1.25 avg60=0.00\nfull avg10=9 avg60=0\n"), 1.25],
    ["no swap", parseSwapUsedKib(SWAPS), null],
    ["swap", parseSwapUsedKib(`${SWAPS}/dev/a partition 100 7 -2\n/b file 100 3 -3\n`), 10],
    ["open files", parseOpenFilesLimit("Max open files            1024   4096  files\n"), 1024],
    ["any open files", parseOpenFilesLimit("Max open files  unlimited unlimited files"), Infinity],
    ["closed connections", parseTimeWait("TCP: inuse 1 orphan 0 tw 42 alloc 1 mem 1\n"), 42],
    ["ports", parsePortCount("32768\t60999\n"), 28_232],
    ["a quota", parseCpuMax("150000 100000\n"), 1.5],
    ["no quota", parseCpuMax("max 100000\n"), null],
    ["no quota, version 1", parseCpuMax("-1 100000"), null],
    [
      "stops by a quota, of both versions and all groups above",
      readThrottled(filesOf("5:cpu,cpuacct:/a\n4:cpuset:/b\n0::/system.slice/runner.service\n")),
      4 + 8 + 32 + 1 + 2,
    ],
    ["no quota, no stops", readThrottled(filesOf("0::/\n")), 4],
    ["no control group", readThrottled(() => ""), 0],
    [
      "a control group and those above it, version 2",
      parseCgroupFolders("0::/user.slice/../a:b\n", "cpu"),
      ["", "/user.slice", "/user.slice/a:b"].map((group) => ({
        folder: `/sys/fs/cgroup${group}`,
        isUnified: true,
      })),
    ],
    [
      "control groups, version 1",
      parseCgroupFolders("4:memory:/m\n1:cpu,cpuacct:/x\n0::/\n", "memory"),
      [
        { folder: "/sys/fs/cgroup/memory", isUnified: false },
        { folder: "/sys/fs/cgroup/memory/m", isUnified: false },
        { folder: "/sys/fs/cgroup", isUnified: true },
      ],
    ],
    ["no control group to speak of", parseCgroupFolders("0::\n3:\n", "cpu").length, 1],
    ["a memory limit", parseMemoryLimit("1073741824\n"), 1_073_741_824],
    ["no memory limit", parseMemoryLimit("max\n"), null],
    ["no memory limit, version 1", parseMemoryLimit("9223372036854771712"), null],
    ["no memory file", parseMemoryLimit(""), null],
    [
      "counters",
      [...parseCounters("pswpin 5\npswpout 7\nx y\n")],
      [
        ["pswpin", 5],
        ["pswpout", 7],
      ],
    ],
    [
      "flaws",
      summarizeMitigations(["Mitigation: PTI", "Not affected", "Vulnerable", "Mitigation: x"]),
      "2 mitigated, 1 open",
    ],
  ];
  test.each(cases)("%s", (_name, got, expected) => {
    expect(got).toEqual(expected);
  });
});

/** fast-check's own `binary` unit takes a second to list all code points. */
const CODE_UNIT = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code));

test("any text is read without a throw", () => {
  const parsers = [
    parseAllowedCpus,
    (text: string) => parseCgroupFolders(text, "memory"),
    parseChoice,
    parseCpuInfo,
    parseCpuMax,
    parseCpuTimesTotal,
    parseMemoryGiB,
    parseOpenFilesLimit,
    parsePortCount,
    parsePressure,
    parseProcStat,
    parseSwapUsedKib,
    parseTimeWait,
  ];
  fc.assert(
    fc.property(fc.constantFrom(...parsers), fc.string({ unit: CODE_UNIT }), (parse, text) => {
      expect(() => parse(text)).not.toThrow();
    }),
  );
});
