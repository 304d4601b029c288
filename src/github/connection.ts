// From one operation of the port to the requests it takes: attempts, waits, pages, and the whole
// time they may take. Knows HTTP and GitHub's manners, but no operation by name.
import type { z } from "zod";
import { describeIssues } from "../core/base/issues.ts";
import type { Clock } from "../machine/sys/clock.ts";
import { refusalAnswer } from "./answers.ts";
import { type Answer, attempt, type Wire } from "./attempt.ts";
import { parseNextLink } from "./parse-link.ts";
import { OPERATIONS } from "./permission.ts";
import { GitHubError, type GitHubFailure, type GitHubOperation } from "./port.ts";
import { refusalOf } from "./refusal.ts";
import { backOffMs, MAX_ATTEMPTS, type Trouble, troubleOf } from "./retry.ts";

/**
 * Whole time of one operation, waits and pages included: room for two waits of a minute, as GitHub
 * may ask for.
 */
const MAX_OPERATION_MS = 300_000;
const ATTEMPT_MS = 30_000;
const DOWNLOAD_MS = 120_000;
/**
 * A page of 100 comments of 65,536 characters at their longest in JSON; everything else is far
 * smaller.
 */
const MAX_JSON_BYTES = 64 * 2 ** 20;
/** 2022-11-28: what the fields read here are described by, and what GHES answers too. */
const API_VERSION = "2022-11-28";
const MAX_FOREIGN_CHARS = 500;

export interface ConnectionOptions {
  token: string;
  /** `owner/name`. */
  repository: string;
  /** Without a slash at the end. */
  apiUrl: string;
  clock: Clock;
  log(line: string): void;
  send: typeof fetch;
  /** In [0, 1): the jitter of waits. */
  random(): number;
}

type SendArguments = [method: "POST" | "PATCH", path: string, body: unknown, retry?: "once"];

/**
 * The request may have been carried out, or not: only a look at GitHub can tell. Never leaves this
 * room.
 */
export class MayHaveActed extends Error {
  readonly trouble: string;

  constructor(trouble: string) {
    super(trouble);
    this.name = "MayHaveActed";
    this.trouble = trouble;
  }
}

/** One operation under way. */
export type Task = ReturnType<typeof beginTask>;

/** What one request needs. */
interface Sending {
  wire: Omit<Wire, "timeoutMs">;
  timeoutMs: number;
  retry: "once" | "again";
}

export function beginTask(options: ConnectionOptions, operation: GitHubOperation) {
  const { clock, repository } = options;
  const deadlineMs = clock.nowMs() + MAX_OPERATION_MS;

  /** Nothing foreign is shown at length, and the token never. */
  const clean = (text: string): string =>
    text.replaceAll(options.token, "***").slice(0, MAX_FOREIGN_CHARS);

  const failed = (
    reason: GitHubFailure,
    words: string,
    text: { detail: string; next?: string },
  ): GitHubError => {
    const { does } = OPERATIONS[operation];
    return new GitHubError(reason, `could not ${does} in ${repository}: ${words}`, text);
  };

  const fail = (trouble: string): GitHubError =>
    failed("unavailable", "no usable answer from GitHub", {
      detail: clean(trouble),
      next: "Run it again later; https://www.githubstatus.com may know more.",
    });

  const waitFor = async (waitMs: number, words: string, otherwise: () => GitHubError) => {
    if (clock.nowMs() + waitMs > deadlineMs) throw otherwise();
    options.log(`github: ${operation}: ${clean(words)}; again in ${(waitMs / 1000).toFixed(1)} s`);
    await clock.sleep(waitMs);
  };

  /** Waits as before attempt `attemptNumber + 1`, or fails when the operation's time is over. */
  const pause = (attemptNumber: number, trouble: string): Promise<void> =>
    waitFor(backOffMs(attemptNumber, options.random()), trouble, () => fail(trouble));

  const afterTrouble = async (trouble: Trouble, attemptNumber: number): Promise<void> => {
    if (trouble.kind === "fault") {
      const waitMs = Math.max(trouble.waitMs, backOffMs(attemptNumber, options.random()));
      if (attemptNumber >= MAX_ATTEMPTS) throw fail(`${trouble.words}, ${attemptNumber} times`);
      return waitFor(waitMs, trouble.words, () => fail(trouble.words));
    }
    const words = `${trouble.which} rate limit of GitHub reached`;
    const limited = () =>
      failed("rate-limited", words, {
        detail: `GitHub asks to wait for ${Math.ceil(trouble.waitMs / 1000)} s.`,
        next: "Run it again after that. All jobs of a repository share one limit.",
      });
    if (attemptNumber >= MAX_ATTEMPTS) throw limited();
    return waitFor(trouble.waitMs, words, limited);
  };

  /** Within what is left of the operation's time. */
  const tryOnce = async (wire: Sending["wire"], timeoutMs: number) => {
    const leftMs = deadlineMs - clock.nowMs();
    if (leftMs <= 0) throw fail(`not done within ${MAX_OPERATION_MS / 1000} s`);
    const within = Math.ceil(Math.min(timeoutMs, leftMs));
    const result = await attempt({ ...wire, timeoutMs: within }, options.send);
    if (result.kind !== "too-large") return result;
    throw failed("too-large", `more than ${wire.maxBytes.toLocaleString("en")} bytes`, {
      detail: "Reading was stopped there.",
    });
  };

  const request = async ({ wire, timeoutMs, retry }: Sending): Promise<Answer> => {
    for (let number = 1; ; number++) {
      const result = await tryOnce(wire, timeoutMs);
      if (result.kind === "lost") {
        if (result.sent && retry === "once") throw new MayHaveActed(clean(result.words));
        await afterTrouble({ kind: "fault", words: result.words, waitMs: 0 }, number);
        continue;
      }
      const message = result.status >= 400 ? refusalIn(result).message : "";
      const trouble = troubleOf({ ...result, message }, number, Date.parse(clock.wallTime()));
      if (trouble === null) return result;
      if (trouble.kind === "fault" && retry === "once") throw new MayHaveActed(trouble.words);
      await afterTrouble(trouble, number);
    }
  };

  const refused = (answer: Answer): GitHubError => {
    const { message, errors } = refusalIn(answer);
    return refusalOf(operation, repository, {
      status: answer.status,
      message: clean(message),
      problems: errors.map((one) => clean(problemText(one))),
      accepted: answer.headers.get("x-accepted-github-permissions"),
    });
  };

  /** For a refusal that does not come as HTTP 403. */
  const forbidden = (text: string): GitHubError => {
    const refusal = { status: 403, message: clean(text), problems: [], accepted: null };
    return refusalOf(operation, repository, refusal);
  };

  const valueIn = <T>(schema: z.ZodType<T>, answer: Answer): T => {
    if (!isSuccess(answer)) throw refused(answer);
    let value: unknown;
    try {
      value = JSON.parse(Buffer.from(answer.bytes).toString("utf8"));
    } catch {
      throw fail(`HTTP ${answer.status} with a body that is no JSON`);
    }
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw fail(`HTTP ${answer.status} with ${describeIssues(result.error, value).join("; ")}`);
  };

  /** The value of a successful answer; any other fails with GitHubError. */
  const get = async <T>(schema: z.ZodType<T>, path: string): Promise<T> =>
    valueIn(schema, await request(sendingOf(options, "GET", path)));

  /** As `get`. `retry`: "once" where a second request would make a second thing. */
  const send = async <T>(schema: z.ZodType<T>, ...call: SendArguments): Promise<T> =>
    valueIn(schema, await request(sendingOf(options, ...call)));

  /** As `get`, but null when GitHub answers 404 and its message is not one of `unless`. */
  const getOrNull = async <T>(
    schema: z.ZodType<T>,
    path: string,
    unless?: RegExp,
  ): Promise<T | null> => {
    const answer = await request(sendingOf(options, "GET", path));
    if (answer.status === 404 && !(unless?.test(refusalIn(answer).message) ?? false)) return null;
    return valueIn(schema, answer);
  };

  /** Removes what is at `path`; that it is gone already is no failure. */
  const remove = async (path: string): Promise<void> => {
    const answer = await request(sendingOf(options, "DELETE", path));
    if (!isSuccess(answer) && answer.status !== 404) throw refused(answer);
  };

  /** Every page of a list, in GitHub's order. */
  async function* pages<T>(schema: z.ZodType<T>, path: string): AsyncGenerator<T> {
    let sending = sendingOf(options, "GET", path);
    for (;;) {
      const answer = await request(sending);
      yield valueIn(schema, answer);
      const next = parseNextLink(answer.headers.get("link"));
      if (next === null) return;
      // The token goes to the API and nowhere else, whatever an answer says.
      if (URL.parse(next)?.origin !== new URL(options.apiUrl).origin) {
        throw fail("a next page that is not at the API's address");
      }
      sending = { ...sending, wire: { ...sending.wire, url: next } };
    }
  }

  /** Bytes behind the redirect of `path`; the token is not sent to where it leads. */
  const download = async (path: string, maxBytes: number): Promise<Uint8Array> => {
    const sending = sendingOf(options, "GET", path);
    // The second address holds for a minute only, so an attempt is both steps.
    for (let number = 1; ; number++) {
      const first = await request({
        ...sending,
        wire: { ...sending.wire, redirect: "manual", maxBytes },
        timeoutMs: DOWNLOAD_MS,
      });
      if (isSuccess(first)) return first.bytes;
      const location = first.status === 302 ? first.headers.get("location") : null;
      if (location === null) throw refused(first);
      const wire: Sending["wire"] = {
        method: "GET",
        url: new URL(location, sending.wire.url).href,
        headers: { "user-agent": USER_AGENT },
        body: null,
        maxBytes,
        redirect: "follow",
      };
      const second = await tryOnce(wire, DOWNLOAD_MS);
      if (second.kind === "answer" && isSuccess(second)) return second.bytes;
      const words =
        second.kind === "lost" ? second.words : `HTTP ${second.status} from the artifact store`;
      await afterTrouble({ kind: "fault", words, waitMs: 0 }, number);
    }
  };

  return { operation, get, getOrNull, send, remove, pages, download, pause, fail, forbidden };
}

const USER_AGENT = "tailgate";

function sendingOf(
  options: ConnectionOptions,
  method: Wire["method"],
  path: string,
  body?: unknown,
  retry: Sending["retry"] = "again",
): Sending {
  const { apiUrl, repository } = options;
  return {
    wire: {
      method,
      url: addressOf(apiUrl, repository, path),
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${options.token}`,
        "user-agent": USER_AGENT,
        "x-github-api-version": API_VERSION,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      maxBytes: MAX_JSON_BYTES,
      redirect: "follow",
    },
    timeoutMs: ATTEMPT_MS,
    retry,
  };
}

function addressOf(apiUrl: string, repository: string, path: string): string {
  // A GitHub Enterprise Server has its REST API at /api/v3 and GraphQL beside it.
  if (path === "/graphql") return `${apiUrl.replace(/\/v3$/, "")}${path}`;
  if (path.startsWith("/")) return `${apiUrl}${path}`;
  return path === "" ? `${apiUrl}/repos/${repository}` : `${apiUrl}/repos/${repository}/${path}`;
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

function refusalIn(answer: Answer): { message: string; errors: unknown[] } {
  try {
    const result = refusalAnswer.safeParse(JSON.parse(Buffer.from(answer.bytes).toString("utf8")));
    if (result.success) return result.data;
  } catch {
    // A proxy's page in place of GitHub's JSON.
  }
  return { message: "", errors: [] };
}

/** GitHub's `errors` are sentences, or objects that name a field. */
function problemText(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (typeof problem !== "object" || problem === null) return String(problem);
  const { message, field, code } = problem as {
    message?: unknown;
    field?: unknown;
    code?: unknown;
  };
  if (typeof message === "string") return message;
  return [field, code].filter((word) => typeof word === "string").join(": ");
}
