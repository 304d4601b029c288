// `setup`: makes sure that the load generator is there, so that the first gate need not wait for it.
import { findOha, installOha } from "../build/oha-tool.ts";
import { type LockWishes, underLock } from "./machine-lock.ts";
import type { Environment } from "./settings.ts";

export async function setUp(wishes: LockWishes, environment: Environment): Promise<string> {
  const { progress } = environment;
  progress.stage("load generator");
  const { oha: found, refused } = await findOha(environment);
  for (const reason of refused) progress.note(reason);
  const oha = found ?? (await underLock(wishes, environment, () => installOha(environment)));
  return `oha ${oha.version} at ${oha.path}`;
}
