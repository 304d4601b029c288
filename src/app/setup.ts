// `setup`: makes sure that the load generator is there, so that the first gate need not wait for
// it.
import { ensureOha } from "../machine/build/oha-tool.ts";
import { LOCK_PROGRAMS } from "../machine/sys/programs.ts";
import { underLock } from "./machine/prepared-run.ts";
import { LOCK_TIMEOUT_MS } from "./project/project.ts";
import type { Environment } from "./settings.ts";

export async function setUp(environment: Environment): Promise<string> {
  environment.progress.stage("load generator");
  const lock = { lockTimeoutMs: LOCK_TIMEOUT_MS, programs: LOCK_PROGRAMS };
  const oha = await ensureOha(environment, (install) => underLock(lock, environment, install));
  return `oha ${oha.version} at ${oha.path}`;
}
