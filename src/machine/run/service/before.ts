// The command that a launch runs once, when it is ready, for what its requests must hold: a token of
// a login. What it prints is secret, and so is shown nowhere, not even when it fails.
import { type Values, writtenForms } from "../../../core/config/fill-values.ts";
import { parseValues } from "../../../core/config/parse-values.ts";
import type { Secrets } from "../../../core/text/secrets.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { runCommand } from "../../sys/process.ts";

const TIMEOUT_MS = 60_000;

interface BeforeRun {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  abort: AbortSignal;
  secrets: Secrets;
  /** Hears each value, so that the log's keeper can hide it. */
  onSecret?: ((value: string) => void) | undefined;
}

/** `detail`: nothing of what it printed. */
type BeforeResult = { ok: true; values: Values } | { ok: false; why: string; detail: string };

export async function runBefore(run: BeforeRun): Promise<BeforeResult> {
  const { argv, cwd, env, abort, secrets, onSecret } = run;
  const failed = (why: string, detail = ""): BeforeResult => ({ ok: false, why, detail });
  const missing = missingProgram(argv[0] ?? "", cwd, env.PATH);
  if (missing !== null) return failed(`could not be started: ${missing.why}`, missing.detail);
  const result = await runCommand(argv, { cwd, env, abort, timeoutMs: TIMEOUT_MS });
  const { code, signal, startError, timedOut, stdout } = result;
  if (startError !== null) {
    return failed(`could not be started: ${startError.code ?? startError.message}`);
  }
  if (timedOut) return failed(`did not end within ${TIMEOUT_MS / 1000} s`);
  if (code !== 0) {
    return failed(signal === null ? `exited with code ${code}` : `was ended by ${signal}`);
  }
  const parsed = parseValues(stdout);
  if (!parsed.ok) return failed(`exited with code 0, and ${parsed.why}`);
  for (const value of Object.values(parsed.values)) {
    secrets.add(writtenForms(value));
    onSecret?.(value);
  }
  return parsed;
}
