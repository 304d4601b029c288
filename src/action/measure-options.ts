// From the step's inputs to what the use cases are asked for.
import type { MeasureOptions } from "../app/settings.ts";
import type { Job } from "./job.ts";

export function measureOptions({ inputs }: Pick<Job, "inputs">): MeasureOptions {
  return {
    config: inputs.config,
    compare: inputs.compare,
    reference: inputs.reference,
    seed: inputs.seed,
    timeBudgetMs: inputs.timeBudgetMs,
    services: inputs.services,
    out: inputs.outputFolder,
    resume: false,
    lockTimeoutMs: inputs.waitMs,
  };
}
