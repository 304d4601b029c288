// `setup`: makes sure that the load generator is there, so that the first gate need not wait for it.
import { ensureOha } from "../build/oha-tool.ts";
import type { Environment } from "./settings.ts";

export async function setUp(environment: Environment): Promise<string> {
  environment.progress.stage("load generator");
  const oha = await ensureOha(environment);
  return `oha ${oha.version} at ${oha.path}`;
}
