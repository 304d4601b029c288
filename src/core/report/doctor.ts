// What `doctor` found, on a terminal and as a script. Names of programs and files are foreign.
import type { Examination, Signal, SignalCost, SpoiledSlices } from "../model/doctor.ts";
import type { Finding, Fingerprint } from "../model/host.ts";
import { mostFirst } from "../model/parts.ts";
import { plainLine } from "../text/escape.ts";
import { formatCount, formatCpuList, formatShare } from "../text/format.ts";
import { type Block, type Item, list, paragraph, type Section, section } from "./kit/blocks.ts";
import { renderTerminalDocument, type TerminalOptions } from "./kit/terminal.ts";
import { describeCpuSets } from "./machine.ts";
import { describeCulprits } from "./words/culprits.ts";

const SYMBOLS: Readonly<Record<Finding["level"], string>> = { bad: "✗", note: "·", good: "✓" };
const ORDER: readonly Finding["level"][] = ["bad", "note", "good"];

export function renderDoctor(found: Examination, options: TerminalOptions): string {
  const { host, cpuSets, generator, now } = found;
  return renderTerminalDocument(
    {
      mark: null,
      headline: describeMachine(host.fingerprint),
      summary: [
        paragraph(`CPU sets: ${describeCpuSets(cpuSets)}`),
        paragraph(`Load generator: ${generator ?? "none; tailgate setup installs oha"}`),
      ],
      sections: [
        sliceSection(found),
        findingSection("Now", now),
        findingSection("As it is set up", host.findings),
        section("", paragraph(conclusion(found))),
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
    ...(level === "good" || evidence.length === 0
      ? {}
      : { under: `seen in ${evidence.join("; ")}` }),
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
      "nothing inside this machine gives stolen time back: pin its CPUs on the host, or use a machine of its own",
    findings: ["steal", "steal-now", "virtual"],
  },
  foreign: {
    what: "other programs used the measured CPUs",
    helps: "stop them, or keep them off the measured CPUs",
    findings: ["programs", "pressure", "others-now", "interrupts", "interrupts-now", "smt", "ksm"],
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
  generator: {
    what: "the load generator was short of CPU",
    helps: "give it more CPUs (runner.cpus), or lower the rate",
    findings: ["cores"],
  },
};

function sliceSection({ slices, host, now }: Examination): Section {
  if (slices === null) return section("");
  return section(
    "What spoiled the slices of this run",
    paragraph(
      `${formatCount(slices.spoiled)} of ${formatCount(slices.slices)} slices are spoiled: ${formatCount(slices.void)} discarded${describeRules(slices)}, the others half as slow again as the ${formatCount(slices.quiet)} in which nothing disturbed. ${formatCount(slices.unexplained)} of them met no disturbance that was recorded.`,
    ),
    ...describeNoise(slices),
    ...slices.signals.map((cost) => paragraph(describeSignal(cost))),
    ...whatHelps(slices, [...host.findings, ...now]),
  );
}

function describeNoise({ disturbed, culprits }: SpoiledSlices): Block[] {
  if (disturbed === 0) return [];
  const who =
    culprits.length === 0
      ? "."
      : `. In their rounds ${describeCulprits(culprits)}: stop ${culprits.length === 1 ? "it" : "them"}, or run on a machine of its own.`;
  return [
    paragraph(
      `${formatCount(disturbed)} slices count although the host disturbed them: what rests on them proves no pass${who}`,
    ),
  ];
}

function describeRules({ byRule }: SpoiledSlices): string {
  const rules = mostFirst(byRule);
  return rules.length === 0 ? "" : ` (${rules.map(([rule, n]) => `${rule} ${n}`).join(", ")})`;
}

function describeSignal({ signal, slices, spoiled, slower, share }: SignalCost): string {
  const slowness = slower === null ? "" : `, p99 ${slower.toFixed(2)} × that of quiet ones`;
  return `${signal}: ${SIGNAL_FACTS[signal].what} in ${formatCount(slices)} slices${slowness}; ${formatCount(spoiled)} of them spoiled, and ${formatShare(share)} of all slowness`;
}

/** Less than this of all slowness is not worth a change. */
const WORTHWHILE = 0.1;

function whatHelps(slices: SpoiledSlices, findings: readonly Finding[]): Block[] {
  const [worst] = slices.signals;
  if (worst === undefined || worst.share < WORTHWHILE) {
    return [
      paragraph(
        slices.spoiled === 0
          ? "Nothing to mend: no slice was spoiled."
          : "No recorded disturbance stands out: the cause is the service's own, or nothing recorded it.",
      ),
    ];
  }
  const { helps, findings: ids } = SIGNAL_FACTS[worst.signal];
  const related = findings.filter(({ id, level }) => level !== "good" && ids.includes(id));
  const below = related.length === 0 ? "" : ` Below: ${related.map(({ id }) => id).join(", ")}.`;
  return [paragraph(`What would help most (${worst.signal}): ${helps}.${below}`, "strong")];
}

function conclusion({ host, now }: Examination): string {
  const bad = [...host.findings, ...now].filter(({ level }) => level === "bad").length;
  if (bad === 0) {
    return "Nothing here is known to add noise. tailgate calibrate measures what noise there is.";
  }
  const add = bad === 1 ? "finding adds" : "findings add";
  return `${bad} ${add} noise or bias (tailgate doctor --fix prints the commands). None blocks a run; the verdict allows for noise.`;
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
      ...(evidence ?? []).map((line) => comment(`  was: ${line}`)),
      BY_HAND.test(fix) ? comment(`by hand: ${fix}`) : plainLine(fix),
    ];
  });
  return [
    "#!/bin/sh",
    "# Printed by tailgate doctor --fix. Nothing was changed: read it, take out what you do not want, then run it.",
    "# Settings last until the next start of the machine; `was` says what to go back to.",
    comment(
      `CPUs: service ${formatCpuList(cpuSets.service)}, load generator ${formatCpuList(cpuSets.generator)}`,
    ),
    ...(parts.length === 0 ? ["", "# Nothing to mend."] : parts),
    "",
  ].join("\n");
}

function comment(text: string): string {
  return `# ${plainLine(text)}`;
}
