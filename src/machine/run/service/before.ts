// What a launch does once, when it is ready, for what its requests must hold, such as the token of a
// login: it runs a command, or sends a request. What comes of it is secret, and so is shown nowhere,
// not even when it fails.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../core/base/errors.ts";
import { type Values, writtenForms } from "../../../core/config/fill-values.ts";
import { parseValues, pickValues } from "../../../core/config/parse-values.ts";
import type { BeforeRequest, Recipe } from "../../../core/model/config.ts";
import type { Address } from "../../../core/slice/load.ts";
import { isSecret, type Secrets } from "../../../core/text/secrets.ts";
import { missingProgram } from "../../sys/find-program.ts";
import { describeExit, runCommand } from "../../sys/process.ts";
import { send, whyNone } from "../probe/ask.ts";
import { readText } from "../probe/exchange.ts";

/** More of an answer is not read. */
const MOST_CHARS = 4 * 1024 * 1024;

/** Where the service is, and what its commands get. */
interface BeforeRun extends Address {
  cwd: string;
  env: Record<string, string>;
  /** Replaces the placeholders of a command. */
  fill: (text: string) => string;
  abort: AbortSignal;
  /** At most. */
  timeoutMs: number;
  secrets: Secrets;
  /** Hears each value, so that the log's keeper can hide it. */
  onSecret?: (value: string) => void;
}

type BeforeResult =
  | { ok: true; values: Values }
  /** `why` and `detail`: nothing of what it printed, or was answered. */
  | { ok: false; why: string; detail: string; next: string };

const CORRECT_COMMAND =
  'Correct `before` of the service in tailgate.yml: it must exit with code 0 and print one JSON object of strings, such as {"token": "…"}. What it prints is not shown, since it may be secret; run it by hand.';
const CORRECT_REQUEST =
  "Correct `before` of the service in tailgate.yml: its request must be answered with a 2xx and JSON that has each of `values`. The answer is not shown, since it may be secret; send the request by hand. If the service makes its users only after it answers, have `ready.log` wait for the line that says so.";
const CORRECT_FILE =
  "Correct `before.request.bodyFile` of the service in tailgate.yml, a path relative to its `dir`; the commit must have the file, and `inputs` of the service, where there are any, must name it.";

export async function runBefore(
  before: NonNullable<Recipe["before"]>,
  run: BeforeRun,
): Promise<BeforeResult> {
  const result = Array.isArray(before)
    ? await byCommand(before, run)
    : await byRequest(before, run);
  if (!result.ok) return result;
  for (const value of Object.values(result.values).filter(isSecret)) {
    run.secrets.add(writtenForms(value));
    run.onSecret?.(value);
  }
  return result;
}

async function byCommand(words: readonly string[], run: BeforeRun): Promise<BeforeResult> {
  const { cwd, env, fill, abort, timeoutMs } = run;
  const failed = (why: string, detail = "") => failure(why, CORRECT_COMMAND, detail);
  const argv = words.map(fill);
  const missing = missingProgram(argv[0] ?? "", cwd, env.PATH);
  if (missing !== null) return failed(`could not be started: ${missing.why}`, missing.detail);
  const result = await runCommand(argv, { cwd, env, abort, timeoutMs, endsAll: "with it" });
  if (result.timedOut) return failed(`did not end within ${timeoutMs / 1000} s`);
  if (result.code !== 0) return failed(describeExit(result));
  const parsed = parseValues(result.stdout);
  return parsed.ok ? parsed : failed(`exited with code 0, and ${parsed.why}`);
}

async function byRequest(
  { request, values }: BeforeRequest,
  run: BeforeRun,
): Promise<BeforeResult> {
  const { method, path, headers } = request;
  const failed = (why: string, next = CORRECT_REQUEST) => failure(why, next);
  let body: Buffer | null;
  try {
    body = readBody(request, run.cwd);
  } catch (error) {
    return failed(`has a bodyFile that cannot be read: ${messageOf(error)}`, CORRECT_FILE);
  }
  const got = (what: string): BeforeResult => failed(`sent ${method} ${path} and got ${what}`);
  const signal = AbortSignal.any([run.abort, AbortSignal.timeout(run.timeoutMs)]);
  try {
    const answered = await send(run, { method, path, headers, body, signal });
    const { status } = answered;
    if (status < 200 || status > 299) {
      answered.body.destroy();
      return got(`${status}, expected 2xx`);
    }
    const text = await readText(answered.body, MOST_CHARS);
    if (text === null) return got(`${status} with more than 4 MiB`);
    const picked = pickValues(text, values);
    return picked.ok ? picked : got(`${status}, and ${picked.why}`);
  } catch (error) {
    return got(whyNone(error, { ...run, signal }));
  }
}

function failure(why: string, next: string, detail = ""): BeforeResult {
  return { ok: false, why, detail, next };
}

function readBody({ body }: BeforeRequest["request"], folder: string): Buffer | null {
  if (body === null) return null;
  return typeof body === "string" ? Buffer.from(body) : readFileSync(join(folder, body.file));
}
