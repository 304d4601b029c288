// From one operation of the port to the requests it takes: attempts, waits, pages, and the whole time they may take.
// Knows HTTP and GitHub's manners, but no operation by name.
import type { z } from "zod";
import { describeIssues } from "../base/issues.ts";
import type { Clock } from "../sys/clock.ts";
import { refusalAnswer } from "./answers.ts";
import { type Answer, attempt, type Wire } from "./attempt.ts";
import { parseNextLink } from "./parse-link.ts";
import { OPERATIONS } from "./permission.ts";
import { GitHubError, type GitHubOperation } from "./port.ts";
import { refusalOf } from "./refusal.ts";
import { backOffMs, MAX_ATTEMPTS, type Trouble, troubleOf } from "./retry.ts";

/** Whole time of one operation, waits and pages included: room for two waits of a minute, as GitHub may ask for. */
export const MAX_OPERATION_MS = 300_000;
const ATTEMPT_MS = 30_000;
const DOWNLOAD_MS = 120_000;
/** A page of 100 comments of 65,536 characters at their longest in JSON; everything else is far smaller. */
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

export interface Call {
  method: "GET" | "POST" | "PATCH";
  /** Below the repository: `pulls/4`; "" is the repository itself; `/user` is below the API's root. */
  path: string;
  body?: unknown;
  /** "once" where a second request would make a second thing; the default is "again". */
  retry?: "once" | "again";
}

/** The request may have been carried out, or not: only a look at GitHub can tell. Never leaves this room. */
export class MayHaveActed extends Error {
  readonly trouble: string;

  constructor(trouble: string) {
    super(trouble);
    this.name = "MayHaveActed";
    this.trouble = trouble;
  }
}

/** One operation under way. */
export interface Task {
  operation: GitHubOperation;
  /** The value of a successful answer; any other fails with GitHubError. */
  json<T>(schema: z.ZodType<T>, call: Call): Promise<T>;
  /** As `json`, but null when GitHub answers 404 and its message is not one of `unless`. */
  jsonOrNull<T>(schema: z.ZodType<T>, call: Call, unless?: RegExp): Promise<T | null>;
  /** Every page of a list, in GitHub's order. */
  pages<T>(schema: z.ZodType<T>, path: string): AsyncGenerator<T>;
  /** Bytes behind the redirect of `path`; the token is not sent to where it leads. */
  download(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Waits as before attempt `attempt + 1`, or fails when the operation's time is over. */
  pause(attempt: number, trouble: string): Promise<void>;
  fail(trouble: string): GitHubError;
}

/** What one request needs, worked out from a Call. */
interface Sending {
  wire: Omit<Wire, "timeoutMs">;
  timeoutMs: number;
  retry: "once" | "again";
}

export function beginTask(options: ConnectionOptions, operation: GitHubOperation): Task {
  const { clock, repository } = options;
  const deadlineMs = clock.nowMs() + MAX_OPERATION_MS;

  /** Nothing foreign is shown at length, and the token never. */
  const clean = (text: string): string =>
    text.replaceAll(options.token, "***").slice(0, MAX_FOREIGN_CHARS);

  const fail = (trouble: string): GitHubError =>
    new GitHubError(
      "unavailable",
      `could not ${OPERATIONS[operation].does} in ${repository}: no usable answer from GitHub`,
      {
        detail: clean(trouble),
        next: "Run it again later; https://www.githubstatus.com may know more.",
      },
    );

  const waitFor = async (waitMs: number, words: string, otherwise: () => GitHubError) => {
    if (clock.nowMs() + waitMs > deadlineMs) throw otherwise();
    options.log(`github: ${operation}: ${clean(words)}; again in ${(waitMs / 1000).toFixed(1)} s`);
    await clock.sleep(waitMs);
  };

  const pause = (attemptNumber: number, trouble: string): Promise<void> =>
    waitFor(backOffMs(attemptNumber, options.random()), trouble, () => fail(trouble));

  const afterTrouble = async (trouble: Trouble, attemptNumber: number): Promise<void> => {
    if (trouble.kind === "fault") {
      const waitMs = Math.max(trouble.waitMs, backOffMs(attemptNumber, options.random()));
      if (attemptNumber >= MAX_ATTEMPTS) throw fail(`${trouble.words}, ${attemptNumber} times`);
      return waitFor(waitMs, trouble.words, () => fail(trouble.words));
    }
    const words = `${trouble.which} rate limit of GitHub reached`;
    const limited = () => rateLimited(operation, repository, words, trouble.waitMs);
    if (attemptNumber >= MAX_ATTEMPTS) throw limited();
    return waitFor(trouble.waitMs, words, limited);
  };

  const request = async ({ wire, timeoutMs, retry }: Sending): Promise<Answer> => {
    for (let number = 1; ; number++) {
      const leftMs = deadlineMs - clock.nowMs();
      if (leftMs <= 0) throw fail(`not done within ${MAX_OPERATION_MS / 1000} s`);
      const result = await attempt(
        { ...wire, timeoutMs: Math.ceil(Math.min(timeoutMs, leftMs)) },
        options.send,
      );
      if (result.kind === "too-large") throw tooLarge(operation, repository, wire.maxBytes);
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

  const parsed = <T>(schema: z.ZodType<T>, answer: Answer): T => {
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

  const json = async <T>(schema: z.ZodType<T>, call: Call): Promise<T> => {
    const answer = await request(sendingOf(options, call));
    if (!isSuccess(answer)) throw refused(answer);
    return parsed(schema, answer);
  };

  const jsonOrNull = async <T>(schema: z.ZodType<T>, call: Call, unless?: RegExp) => {
    const answer = await request(sendingOf(options, call));
    if (answer.status === 404 && !(unless?.test(refusalIn(answer).message) ?? false)) return null;
    if (!isSuccess(answer)) throw refused(answer);
    return parsed(schema, answer);
  };

  async function* pages<T>(schema: z.ZodType<T>, path: string): AsyncGenerator<T> {
    let sending = sendingOf(options, { method: "GET", path });
    for (;;) {
      const answer = await request(sending);
      if (!isSuccess(answer)) throw refused(answer);
      yield parsed(schema, answer);
      const next = parseNextLink(answer.headers.get("link"));
      if (next === null) return;
      // The token goes to the API and nowhere else, whatever an answer says.
      if (URL.parse(next)?.origin !== new URL(options.apiUrl).origin) {
        throw fail("a next page that is not at the API's address");
      }
      sending = { ...sending, wire: { ...sending.wire, url: next } };
    }
  }

  const download = async (path: string, maxBytes: number): Promise<Uint8Array> => {
    const sending = sendingOf(options, { method: "GET", path });
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
      const leftMs = deadlineMs - clock.nowMs();
      if (leftMs <= 0) throw fail(`not done within ${MAX_OPERATION_MS / 1000} s`);
      const second = await attempt(
        {
          method: "GET",
          url: new URL(location, sending.wire.url).href,
          headers: { "user-agent": USER_AGENT },
          body: null,
          maxBytes,
          redirect: "follow",
          timeoutMs: Math.ceil(Math.min(DOWNLOAD_MS, leftMs)),
        },
        options.send,
      );
      if (second.kind === "too-large") throw tooLarge(operation, repository, maxBytes);
      if (second.kind === "answer" && isSuccess(second)) return second.bytes;
      const words =
        second.kind === "lost" ? second.words : `HTTP ${second.status} from the artifact store`;
      await afterTrouble({ kind: "fault", words, waitMs: 0 }, number);
    }
  };

  return { operation, json, jsonOrNull, pages, download, pause, fail };
}

const USER_AGENT = "tailgate";

function sendingOf(options: ConnectionOptions, call: Call): Sending {
  const { apiUrl, repository } = options;
  return {
    wire: {
      method: call.method,
      url: addressOf(apiUrl, repository, call.path),
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${options.token}`,
        "user-agent": USER_AGENT,
        "x-github-api-version": API_VERSION,
        ...(call.body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      maxBytes: MAX_JSON_BYTES,
      redirect: "follow",
    },
    timeoutMs: ATTEMPT_MS,
    retry: call.retry ?? "again",
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

function rateLimited(
  operation: GitHubOperation,
  repository: string,
  words: string,
  waitMs: number,
): GitHubError {
  return new GitHubError(
    "rate-limited",
    `could not ${OPERATIONS[operation].does} in ${repository}: ${words}`,
    {
      detail: `GitHub asks to wait for ${Math.ceil(waitMs / 1000)} s.`,
      next: "Run it again after that. All jobs of a repository share one limit.",
    },
  );
}

function tooLarge(operation: GitHubOperation, repository: string, maxBytes: number): GitHubError {
  return new GitHubError(
    "too-large",
    `could not ${OPERATIONS[operation].does} in ${repository}: more than ${maxBytes.toLocaleString("en")} bytes`,
    { detail: "Reading was stopped there." },
  );
}
