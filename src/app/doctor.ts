// `doctor`: what is known of this machine, each finding with its effect and the command that mends it.
import { findOha } from "../build/oha-tool.ts";
import type { Finding, Host } from "../model/host.ts";
import { planCpuSets } from "../plan/cpu-sets.ts";
import { readHost } from "../run/host/host.ts";
import type { Environment } from "./settings.ts";

const SYMBOLS: Readonly<Record<Finding["level"], string>> = { good: "✓", note: "·", bad: "✗" };

export async function examineHost(environment: Environment): Promise<{ host: Host; text: string }> {
  const { oha } = await findOha(environment);
  const host = readHost({ generator: oha === null ? "none" : `oha ${oha.version}` });
  return { host, text: renderHost(host, oha?.path ?? null) };
}

function renderHost(host: Host, oha: string | null): string {
  const { fingerprint } = host;
  const sets = planCpuSets(host, null);
  const bad = host.findings.filter(({ level }) => level === "bad").length;
  const order: Finding["level"][] = ["bad", "note", "good"];
  return [
    `${fingerprint.cpuModel}, ${fingerprint.cpus} CPUs, ${fingerprint.memoryGiB.toFixed(1)} GiB, Linux ${fingerprint.kernel}${fingerprint.virtual ? ", virtual" : ""}`,
    `CPU sets: service ${sets.service.join(",")}, load generator ${sets.generator.join(",")}${sets.disjoint ? "" : " (shared: the generator disturbs what it measures)"}`,
    `Load generator: ${oha ?? "none; tailgate setup installs oha"}`,
    "",
    ...order.flatMap((level) =>
      host.findings.filter((finding) => finding.level === level).flatMap(renderFinding),
    ),
    "",
    bad === 0
      ? "Nothing here is known to make noise."
      : `${bad} finding${bad === 1 ? "" : "s"} that make${bad === 1 ? "s" : ""} noise or bias. None stops a run: a verdict accounts for the noise it meets.`,
  ].join("\n");
}

function renderFinding({ id, level, text, fix }: Finding): string[] {
  return [`${SYMBOLS[level]} ${id}: ${text}`, ...(fix === null ? [] : [`    ${fix}`])];
}
