// `init`: hands the satellite what it needs of the kernel.
import type { InitFlags, InitKernel } from "../core/model/try.ts";
import { configFromText } from "./config/load.ts";
import { timeToAnswer } from "./gate/time-to-answer.ts";
import { CONFIG_FILE, LOCK_TIMEOUT_MS } from "./project/project.ts";
import type { Environment, FirstConfiguration } from "./settings.ts";
import { tryServices } from "./try/try-services.ts";

/** A first configuration, and where it belongs. */
export async function initConfiguration(
  flags: InitFlags,
  environment: Environment,
): Promise<FirstConfiguration> {
  const { workingFolder, env, satellites } = environment;
  const options = { ...flags, workingFolder, path: env.PATH };
  const { initConfiguration: init } = await satellites.init();
  return await init(options, initKernel(environment));
}

export function initKernel(environment: Environment): InitKernel {
  return {
    note: environment.progress.note,
    tryServices: async (text, root, options) => {
      const config = configFromText(text, CONFIG_FILE, root);
      const place = { root, config, lockTimeoutMs: LOCK_TIMEOUT_MS };
      return await tryServices(place, options, environment);
    },
    minutesToAnswer: (text) =>
      timeToAnswer(configFromText(text, CONFIG_FILE))?.minutes.regress ?? 0,
  };
}
