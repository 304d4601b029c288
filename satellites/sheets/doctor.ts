// What `doctor` found, on a terminal and as a script. Names of programs and files are foreign.

import type { Examination, Signal, SignalCost, SliceNoise } from "../../src/core/model/doctor.ts";
import type { Finding, Fingerprint } from "../../src/core/model/host.ts";
import { mostFirst } from "../../src/core/model/parts.ts";
import {
  facts,
  type Item,
  list,
  paragraph,
  type Section,
  section,
} from "../../src/core/report/kit/blocks.ts";
import {
  renderTerminalDocument,
  type TerminalOptions,
} from "../../src/core/report/kit/terminal.ts";
import { plainLine } from "../../src/core/text/escape.ts";
import { formatCount, formatCpuList } from "../../src/core/text/format.ts";
import { describeCpuSets, describeCulprits } from "../../src/core/text/machine.ts";

const SYMBOLS: Readonly<Record<Finding["level"], string>> = { bad: "✗", note: "·", good: "✓" };
const ORDER: readonly Finding["level"][] = ["bad", "note", "good"];

export function renderDoctor(found: Examination, options: TerminalOptions): string {
  const { host, cpuSets, generator, now } = found;
  return renderTerminalDocument(
    {
      mark: null,
      headline: found.slices === null ? conclusion(found) : whatHelps(found.slices, found),
      summary: [
        ...(found.slices === null ? [] : [paragraph(conclusion(found))]),
        ...(generator === null
          ? [paragraph("No load generator: tailgate setup installs oha.")]
          : []),
      ],
      sections: [
        sliceSection(found.slices),
        findingSection("Now", now),
        findingSection("As it is set up", host.findings),
        section(
          "This machine",
          facts({
            machine: describeMachine(host.fingerprint),
            "CPU sets": describeCpuSets(cpuSets),
            "load generator": generator ?? "none",
          }),
        ),
      ],
    },
    options,
  );
}

function describeMachine({ cpuModel, cpus, memoryGiB, kernel, virtual, mitigations }: Fingerprint) {
  return [
    `${cpuModel}, ${cpus} CPUs, ${memoryGiB.toFixed(1)} GiB, Linux ${kernel}`,
    ...(virtual ? ["virtual"] : []),
    ...(mitigations === undefined ? [] : [`CPU flaws: ${mitigations}`]),
  ].join(", ");
}

function findingSection(title: string, findings: readonly Finding[]): Section {
  return section(
    title,
    list(ORDER.flatMap((level) => findings.filter((one) => one.level === level).map(findingItem))),
  );
}

function findingItem({ id, level, text, fix, evidence = [] }: Finding): Item {
  return {
    symbol: SYMBOLS[level],
    text: `${id}: ${text}`,
    under: level === "good" || evidence.length === 0 ? undefined : `seen in ${evidence.join("; ")}`,
    fix,
  };
}

const SIGNAL_FACTS: Readonly<
  Record<Signal, { what: string; helps: string; findings: readonly string[] }>
> = {
  throttled: {
    what: "a CPU quota stopped everything",
    helps: "lift the quota of the control group",
    findings: ["quota", "quota-now"],
  },
  steal: {
    what: "the hypervisor took CPU time",
    helps:
      "nothing inside this machine gives stolen time back: pin its CPUs on the host, or use dedicated hardware",
    findings: ["steal", "steal-now", "virtual"],
  },
  "slow-cpu": {
    what: "the CPUs were slow",
    helps: "keep neighbours off its host, or lift the limit of its power",
    findings: ["virtual", "smt", "turbo", "temperature", "thermal"],
  },
  "foreign-cpu": {
    what: "other programs used the measured CPUs",
    helps: "stop them, or keep them off the measured CPUs",
    findings: [
      "container",
      "programs",
      "pressure",
      "others-now",
      "interrupts",
      "interrupts-now",
      "smt",
      "ksm",
    ],
  },
  frequency: {
    what: "the clock was lower than usual",
    helps: "fix the clock",
    findings: ["governor", "frequency", "energy-preference", "turbo", "temperature", "thermal"],
  },
  lag: {
    what: "the load generator woke up late",
    helps:
      "its CPU was taken or asleep: keep all others off it, the hypervisor included, and let it sleep lightly",
    findings: ["cores", "sleep-states", "smt", "governor", "steal", "virtual", "nmi-watchdog"],
  },
};

function sliceSection(noise: Examination["slices"]): Section {
  if (noise === null) return section("");
  const { slices, void: discarded, byRule, calm, signals, culprits } = noise;
  const rules = mostFirst(byRule).map(([rule, n]) => `${rule} ${n}`);
  const reasons = rules.length === 0 ? "" : ` (${rules.join(", ")})`;
  return section(
    "What disturbed the measurements of this run",
    paragraph(
      `${formatCount(slices)} measurements: ${formatCount(discarded)} discarded${reasons}, ${formatCount(slices - discarded - calm)} disturbed, which prove no pass, and ${formatCount(calm)} calm.`,
    ),
    ...signals.map((cost) => paragraph(describeSignal(cost))),
    ...(culprits.length === 0
      ? []
      : [
          paragraph(
            `In disturbed rounds ${describeCulprits(culprits)}: stop ${culprits.length === 1 ? "it" : "them"}, or use dedicated hardware.`,
          ),
        ]),
  );
}

function describeSignal({ signal, slices, slower }: SignalCost): string {
  const slowness = slower === null ? "" : `, with a p99 ${slower.toFixed(2)} × that of calm ones`;
  return `${signal}: ${SIGNAL_FACTS[signal].what} in ${formatCount(slices)} measurements${slowness}`;
}

/** Below this factor a signal is not worth a change. */
const WORTHWHILE = 1.1;

function whatHelps({ signals }: SliceNoise, { host, now }: Examination): string {
  const [worst] = signals;
  if (worst === undefined) return "Nothing to fix: no measurement of this run was disturbed.";
  if ((worst.slower ?? Number.POSITIVE_INFINITY) < WORTHWHILE) {
    return "Nothing to fix: no recorded disturbance made a measurement of this run slower.";
  }
  const { what, helps, findings: ids } = SIGNAL_FACTS[worst.signal];
  const related = [...host.findings, ...now].filter(
    ({ id, level }) => level !== "good" && ids.includes(id),
  );
  const below = related.length === 0 ? "" : ` See ${related.map(({ id }) => id).join(", ")} below.`;
  return `What would help this run most, where ${what}: ${helps}.${below}`;
}

function conclusion({ host, now }: Examination): string {
  const bad = [...now, ...host.findings].filter(({ level }) => level === "bad");
  if (bad.length === 0) {
    return "Nothing to change on this machine. tailgate calibrate measures its noise.";
  }
  const add = bad.length === 1 ? "finding adds" : "findings add";
  return `${bad.length} ${add} noise or bias: ${bad.map(({ id }) => id).join(", ")}. tailgate doctor --fix prints the commands. None blocks a run; the verdict allows for noise.`;
}

/** Those that only show something, or change the shell they are typed into. */
const BY_HAND = /^(?:top|ulimit)\b/;

/** The commands as a shell script, worst finding first; all but our commands stands behind `#`. */
export function renderFixScript({ host, now, cpuSets }: Examination): string {
  const findings = ORDER.flatMap((level) =>
    [...host.findings, ...now].filter((finding) => finding.level === level && finding.fix !== null),
  );
  const once = new Set<string>();
  const parts = findings.flatMap(({ id, text, fix, evidence }) => {
    if (fix === null || once.has(fix)) return [];
    once.add(fix);
    return [
      "",
      comment(`${id}: ${text}`),
      ...(evidence ?? []).map((line) => comment(`seen in ${line}`)),
      BY_HAND.test(fix) ? comment(`by hand: ${fix}`) : plainLine(fix),
    ];
  });
  return [
    "#!/bin/sh",
    "# Printed by tailgate doctor --fix. Nothing was changed: read it, take out what you do not want, then run it.",
    "# Settings last until the next start of the machine.",
    comment(
      `CPUs: service ${formatCpuList(cpuSets.service)}, load generator ${formatCpuList(cpuSets.generator)}`,
    ),
    ...(parts.length === 0 ? ["", "# Nothing to fix."] : parts),
    "",
  ].join("\n");
}

function comment(text: string): string {
  return `# ${plainLine(text)}`;
}
