// What a command that measures is asked for when nothing is typed.
import type { MeasureOptions } from "../../src/app/settings.ts";

export const NOTHING_TYPED: MeasureOptions = {
  config: null,
  compare: null,
  reference: null,
  seed: null,
  timeBudgetMs: null,
  services: null,
  out: null,
  resume: false,
  lockTimeoutMs: 0,
};
