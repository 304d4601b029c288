// A pass without a measurement rests on an answer all the same: this build with this configuration was
// started and asked once, now or earlier with the same cache.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { serviceNamed } from "../../core/model/config.ts";
import type { Unchanged } from "../../core/model/samples.ts";
import type { TriedService } from "../../core/model/try.ts";
import { makeCacheFolder, writeFileAtomic } from "../../machine/sys/files.ts";
import type { Project } from "../project/project.ts";
import type { Environment } from "../settings.ts";
import { tryAnswers } from "../try/try-services.ts";
import { adviseOnAnswer } from "./measure-rounds.ts";

export async function askUnchanged(
  project: Pick<Project, "root" | "config" | "lockTimeoutMs">,
  unchanged: readonly Unchanged[],
  environment: Environment,
): Promise<void> {
  const folder = join(environment.cache, "answered");
  if (unchanged.length > 0) makeCacheFolder(folder);
  for (const { service, key } of unchanged) {
    const answered = join(folder, key);
    if (existsSync(answered)) continue;
    environment.progress.note(`a pass rests on an answer: ${service} is started and asked once`);
    const tried = await tryAnswers(project, serviceNamed(project.config, service), environment);
    refuseUnanswered(tried);
    writeFileAtomic(answered, "");
  }
}

function refuseUnanswered({ name, launch, scenarios }: TriedService): void {
  const nothing = `nothing was measured: ${name} is unchanged, and`;
  if (launch.kind === "failed") {
    const { text, detail, next } = launch;
    const usual = `Correct ${name} in tailgate.yml; tailgate try --build shows how it starts.`;
    throw new UserError(`${nothing} ${text}`, { detail, next: next ?? usual });
  }
  for (const scenario of scenarios) {
    const wrong = scenario.answers.find(({ status, expected }) => status !== expected);
    if (wrong === undefined) continue;
    const { method, path, seen, expected, status } = wrong;
    throw new UserError(`${nothing} ${method} ${path} got ${seen}, expected ${expected}`, {
      next: adviseOnAnswer(scenario.name, status),
    });
  }
}
