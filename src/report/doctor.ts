// What `doctor` found, on a terminal: what would help most, then every finding with its effect, what it rests on and the command that
// mends it; and the commands as a script. Computes nothing. Names of programs and files are foreign, and made plain.
import type { Examination, Signal, SignalCost, SpoiledSlices } from "../model/doctor.ts";
import type { Finding, Fingerprint } from "../model/host.ts";
import { wrap } from "./columns.ts";
import { plainLine } from "./foreign.ts";
import { formatCount, formatCpuList, formatShare } from "./format.ts";
import type { TerminalOptions } from "./terminal.ts";
import { type Paint, STYLE_CODES } from "./terminal-table.ts";

interface Page {
  width: number;
  paint: Paint;
}

const SYMBOLS: Readonly<Record<Finding["level"], string>> = { bad: "✗", note: "·", good: "✓" };
const ORDER: readonly Finding["level"][] = ["bad", "note", "good"];

export function renderDoctor(found: Examination, options: TerminalOptions): string {
  const paint: Paint =
    options.color === "always"
      ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
      : (_, text) => text;
  const page: Page = { width: Math.max(60, options.width), paint };
  const sections = [
    machineSection(found, page),
    sliceSection(found, page),
    findingSection("Now", found.now, page),
    findingSection("As it is set up", found.host.findings, page),
    wrap(conclusion(found), { width: page.width, first: "", rest: "" }),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function machineSection({ host, cpuSets, generator }: Examination, { width }: Page): string[] {
  const sharing = cpuSets.disjoint ? "" : " (shared: the generator disturbs what it measures)";
  return [
    describeMachine(host.fingerprint),
    `CPU sets: service ${formatCpuList(cpuSets.service)}, load generator ${formatCpuList(cpuSets.generator)}${sharing}`,
    `Load generator: ${generator ?? "none; tailgate setup installs oha"}`,
  ].flatMap((line) => wrap(plainLine(line), { width, first: "", rest: "  " }));
}

function describeMachine({ cpuModel, cpus, memoryGiB, kernel, virtual, mitigations }: Fingerprint) {
  return [
    `${cpuModel}, ${cpus} CPUs, ${memoryGiB.toFixed(1)} GiB, Linux ${kernel}`,
    ...(virtual ? ["virtual"] : []),
    ...(mitigations === undefined ? [] : [`CPU flaws: ${mitigations}`]),
  ].join(", ");
}

function findingSection(title: string, findings: readonly Finding[], page: Page): string[] {
  if (findings.length === 0) return [];
  return [
    page.paint("bold", title),
    ...ORDER.flatMap((level) =>
      findings
        .filter((finding) => finding.level === level)
        .flatMap((finding) => findingLines(finding, page)),
    ),
  ];
}

function findingLines({ id, level, text, fix, evidence }: Finding, page: Page): string[] {
  const { width, paint } = page;
  const [first = "", ...rest] = wrap(`${id}: ${plainLine(text)}`, {
    width,
    first: `  ${SYMBOLS[level]} `,
    rest: "    ",
  });
  const seen =
    level === "good" || evidence === undefined || evidence.length === 0
      ? []
      : wrap(`seen in ${evidence.map((line) => plainLine(line)).join("; ")}`, {
          width,
          first: "    ",
          rest: "    ",
        });
  return [
    first,
    ...rest,
    ...seen.map((line) => paint("dim", line)),
    // Not wrapped: a command is copied whole.
    ...(fix === null ? [] : [`    fix: ${plainLine(fix)}`]),
  ];
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

function sliceSection({ slices, host, now }: Examination, page: Page): string[] {
  if (slices === null) return [];
  const { width, paint } = page;
  const line = (text: string): string[] => wrap(text, { width, first: "  ", rest: "    " });
  return [
    paint("bold", "What spoiled the slices of this run"),
    ...line(
      `${formatCount(slices.spoiled)} of ${formatCount(slices.slices)} slices are spoiled: ${formatCount(slices.void)} void${describeRules(slices)}, the others half as slow again as the ${formatCount(slices.quiet)} in which nothing disturbed. ${formatCount(slices.unexplained)} of them met no disturbance that was recorded.`,
    ),
    ...slices.signals.flatMap((cost) => line(describeSignal(cost))),
    ...whatHelps(slices, [...host.findings, ...now], page),
  ];
}

function describeRules({ byRule }: SpoiledSlices): string {
  const rules = Object.entries(byRule).sort(([, a], [, b]) => b - a);
  return rules.length === 0 ? "" : ` (${rules.map(([rule, n]) => `${rule} ${n}`).join(", ")})`;
}

function describeSignal({ signal, slices, spoiled, slower, share }: SignalCost): string {
  const slowness = slower === null ? "" : `, p99 ${slower.toFixed(2)} × that of quiet ones`;
  return `${signal}: ${SIGNAL_FACTS[signal].what} in ${formatCount(slices)} slices${slowness}; ${formatCount(spoiled)} of them spoiled, and ${formatShare(share)} of all slowness`;
}

/** Less than this of all slowness is not worth a change. */
const WORTHWHILE = 0.1;

function whatHelps(slices: SpoiledSlices, findings: readonly Finding[], page: Page): string[] {
  const { width, paint } = page;
  const [worst] = slices.signals;
  if (worst === undefined || worst.share < WORTHWHILE) {
    const text =
      slices.spoiled === 0
        ? "Nothing to mend: no slice was spoiled."
        : "No recorded disturbance stands out: what is left is the service's own, or nobody records it.";
    return wrap(text, { width, first: "  ", rest: "  " });
  }
  const { helps, findings: ids } = SIGNAL_FACTS[worst.signal];
  const related = findings.filter(({ id, level }) => level !== "good" && ids.includes(id));
  return [
    ...wrap(`What would help most (${worst.signal}): ${helps}.`, {
      width,
      first: "  ",
      rest: "    ",
    }).map((text) => paint("bold", text)),
    ...related.flatMap((finding) => findingLines(finding, page)),
  ];
}

function conclusion({ host, now }: Examination): string {
  const bad = [...host.findings, ...now].filter(({ level }) => level === "bad").length;
  if (bad === 0)
    return "Nothing here is known to make noise. tailgate calibrate measures what is left.";
  const s = bad === 1 ? "" : "s";
  return `${bad} finding${s} that make${bad === 1 ? "s" : ""} noise or bias (tailgate doctor --fix prints the commands). None stops a run: a verdict accounts for the noise it meets.`;
}

/** Those that only show something, or change the shell they are typed into. */
const BY_HAND = /^(?:top|ulimit)\b/;

/**
 * The commands as a shell script, worst finding first, for a person to read and run as they see fit. All of it but the commands, which
 * are ours, stands behind `#`: what a program calls itself must not become one.
 */
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
