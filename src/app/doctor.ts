// `doctor`: the machine as it is set up, what happens on it now, and what disturbed the slices of a
// run. Reads only.
import { resolve } from "node:path";
import { failureIn } from "../core/base/errors.ts";
import type { Examination } from "../core/model/doctor.ts";
import { planCpuSets } from "../core/plan/cpu-sets.ts";
import { findSliceNoise } from "../core/verdict/disturbances.ts";
import { findOha } from "../machine/build/oha-tool.ts";
import { describeActivity, readActivity } from "../machine/host/activity.ts";
import { bad } from "../machine/host/checks/check.ts";
import { hostFiles, readHost } from "../machine/host/host.ts";
import { assertPrograms } from "../machine/sys/programs.ts";
import { readAnySamples } from "./documents/samples.ts";
import type { Environment } from "./settings.ts";

/** Two seconds tell a few thousandths of a CPU, whose time is counted in hundredths of a second. */
const WATCH_MS = 2000;

/** `samplesPath`: a run to find the disturbed slices of; null: none. */
export async function examineHost(
  samplesPath: string | null,
  environment: Environment,
): Promise<Examination> {
  if (samplesPath !== null) {
    const samples = readAnySamples(resolve(environment.workingFolder, samplesPath));
    const { host, cpuSets } = samples;
    const generator = host.fingerprint.generator;
    return { host, cpuSets, generator, now: [], slices: findSliceNoise(samples) };
  }
  const { oha } = await findOha(environment);
  const host = readHost({ generator: oha === null ? "none" : `oha ${oha.version}` });
  const lack = await failureIn(async () => assertPrograms(environment.env.PATH));
  if (lack !== null) host.findings.unshift({ id: "tools", ...bad(lack.message, lack.next) });
  host.findings.push((await environment.satellites.explain()).checkPerf(environment.env.PATH));
  const cpuSets = planCpuSets(host, null);
  const { clock, progress, abort } = environment;
  const files = hostFiles("");
  const read = () => readActivity(files, clock.nowMs(), new Set([process.pid]));
  progress.status(`watching the machine for ${WATCH_MS / 1000} s`);
  const before = read();
  await clock.sleep(WATCH_MS, abort);
  const now = describeActivity(before, read(), cpuSets, files);
  return { host, cpuSets, generator: oha?.path ?? null, now, slices: null };
}
