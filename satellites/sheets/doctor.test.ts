import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Examination, SliceNoise } from "../../src/core/model/doctor.ts";
import type { Finding } from "../../src/core/model/host.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { renderDoctor, renderFixScript } from "./doctor.ts";

const GOVERNOR: Finding = {
  id: "governor",
  level: "bad",
  text: "governor powersave: the clock follows the load with a delay, so the first requests of a measurement run slower",
  fix: "echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
  evidence: ["/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: powersave (8 files)"],
};
const FINDINGS: Finding[] = [
  { id: "clock-source", level: "good", text: "clock source tsc", fix: null, evidence: ["tsc"] },
  GOVERNOR,
  {
    id: "virtual",
    level: "note",
    text: "a virtual machine: neighbours that cannot be seen share its CPUs and caches",
    fix: null,
  },
  {
    id: "open-files",
    level: "bad",
    text: "1024 open files allowed: a scenario with many connections fails",
    fix: "ulimit -n 65536",
  },
];
const NOW: Finding[] = [
  {
    id: "others-now",
    level: "bad",
    text: "other programs use 25 % of a core now (apt 20 %, cron 5 %): what they take, a request waits for",
    fix: "top -o %CPU",
  },
];
const SLICES: SliceNoise = {
  slices: 852,
  void: 29,
  byRule: { "generator-busy": 19, status: 8, steal: 2 },
  calm: 700,
  culprits: [{ command: "rustc\u001b[2J", share: 0.38 }],
  signals: [
    { signal: "lag", slices: 60, slower: 2.41 },
    { signal: "foreign-cpu", slices: 12, slower: null },
  ],
};

function examination(changes: Partial<Examination> = {}): Examination {
  return {
    host: {
      fingerprint: {
        cpuModel: "Test CPU",
        cpus: 8,
        memoryGiB: 16,
        kernel: "6.12.0",
        microcode: "0x1",
        governor: "powersave",
        smt: "off",
        virtual: true,
        generator: "oha 1.16.0",
        mitigations: "6 mitigated, 1 open",
      },
      allowedCpus: [0, 1, 2, 3],
      cores: [[0], [1], [2], [3]],
      findings: FINDINGS,
    },
    cpuSets: { service: [2, 3], generator: [0, 1], disjoint: true },
    generator: "/usr/bin/oha",
    now: NOW,
    slices: null,
    ...changes,
  };
}

const clean = examination({
  now: [],
  host: { ...examination().host, findings: FINDINGS.filter(({ level }) => level === "good") },
});
const hostile = examination({
  now: [
    {
      id: "others-now",
      level: "bad",
      text: "other programs use 99 % of a core now (\n\u001b[31mrm -rf /\u001b[0m\r\nreboot 99 %)",
      fix: null,
    },
  ],
  host: {
    ...examination().host,
    findings: [{ ...GOVERNOR, evidence: ["/proc/1/comm: a\nreboot\u0007"] }],
  },
});

const cases: [string, Examination][] = [
  ["findings", examination()],
  ["clean", clean],
  ["samples", examination({ slices: SLICES, now: [] })],
  [
    "calm",
    examination({
      slices: { ...SLICES, void: 0, byRule: {}, calm: 852, culprits: [], signals: [] },
    }),
  ],
  ["hostile", hostile],
];
test.each(cases)("%s", async (name, found) => {
  const text = renderDoctor(found, { width: 100, color: "never" });
  await checkGolden(`doctor/${name}.txt`, text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/);
});

describe("the script", () => {
  test("has every command once, worst first, with what was there before", async () => {
    await checkGolden("doctor/fix.sh", renderFixScript(examination()));
    await checkGolden("doctor/fix-nothing.sh", renderFixScript(clean));
  });

  test("is a shell script", () => {
    const { status, stderr } = spawnSync("sh", ["-n"], {
      input: renderFixScript(examination()),
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("runs nothing but our own commands, whatever programs and files call themselves", () => {
    const commands = renderFixScript({
      ...hostile,
      now: [{ ...GOVERNOR, ...hostile.now[0], fix: "top -o %CPU" }],
    })
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(commands).toEqual([GOVERNOR.fix]);
  });
});
