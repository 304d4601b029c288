// From one operation of the port to the requests it takes: attempts, waits, pages, and the whole
// time they may take. Knows HTTP and GitHub's manners, but no operation by name.
import type { z } from "zod";
import { messageOf } from "../core/base/errors.ts";
import { describeIssues } from "../core/base/issues.ts";
import { tryJson } from "../core/base/try-json.ts";
import { type Answer, attempt, type Wire } from "../machine/sys/attempt.ts";
import type { Clock } from "../machine/sys/clock.ts";
import { adviceOn, type Route } from "../machine/sys/route.ts";
import { refusalAnswer } from "./answers.ts";
import { parseNextLink } from "./parse-link.ts";
import { OPERATIONS } from "./permission.ts";
import { GitHubError, type GitHubFailure, type GitHubOperation } from "./port.ts";
import { refusalOf } from "./refusal.ts";
import { backOffMs, MAX_ATTEMPTS, type Trouble, troubleOf } from "./retry.ts";

/**
 * Whole time of one operation, waits and pages included: room for two waits of a minute, as GitHub
 * may ask for.
 */
const MAX_OPERATION_MS = 240_000;
/**
 * All operations of a job together, which is ended after 10 minutes where it reports: of what is left
 * each may have half, so that those after it have some too.
 */
const MAX_JOB_MS = 480_000;
/**
 * All operations together, until there is a first answer: GitHub gives one within 10 s. A gate must
 * not wait for minutes where nothing is reached.
 */
const REACH_MS = 12_000;
/** After this long it is asked again: an hour's gate publishes at its end. */
const ASKED_AGAIN_MS = 60_000;
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
const USER_AGENT = { "user-agent": "tailgate" };

export interface Connection {
  token: string;
  /** `owner/name`. */
  repository: string;
  /** Without a slash at the end: `https://api.github.com`, or GITHUB_API_URL of the runner. */
  apiUrl: string;
  route: Route;
  clock: Clock;
  /** Told of every wait, without the token. */
  log(line: string): void;
  /** For tests. */
  fetch?: typeof fetch;
  /** In [0, 1), for the jitter of waits; for tests. */
  random?: () => number;
}

/** One operation under way. */
export class Task {
  readonly #to: Connection;
  readonly #operation: GitHubOperation;
  readonly #begunMs: number;
  readonly #mostMs: number;

  constructor(to: Connection, operation: GitHubOperation) {
    this.#to = to;
    this.#operation = operation;
    this.#begunMs = to.clock.nowMs();
    const { silent, spentMs } = to.route;
    this.#mostMs = Math.min(MAX_OPERATION_MS, (MAX_JOB_MS - spentMs) / 2);
    if (silent !== null && this.#begunMs > silent.sinceMs + ASKED_AGAIN_MS) to.route.silent = null;
  }

  get #deadlineMs(): number {
    const { hasAnswered, silent } = this.#to.route;
    if (hasAnswered) return this.#begunMs + this.#mostMs;
    return (silent?.sinceMs ?? this.#begunMs) + REACH_MS;
  }

  /** The value of a successful answer; any other fails with GitHubError. */
  async get<T>(schema: z.ZodType<T>, path: string): Promise<T> {
    return this.#valueIn(schema, await this.#answer(this.#wire("GET", path)));
  }

  /** As `get`, but null when GitHub answers 404 and its message is not one of `unless`. */
  async getOrNull<T>(schema: z.ZodType<T>, path: string, unless?: RegExp): Promise<T | null> {
    const answer = await this.#answer(this.#wire("GET", path));
    if (answer.status === 404 && !unless?.test(refusalIn(answer).message)) return null;
    return this.#valueIn(schema, answer);
  }

  /** As `get`, of what may be sent twice. */
  async send<T>(
    schema: z.ZodType<T>,
    method: "POST" | "PATCH",
    path: string,
    body: unknown,
  ): Promise<T> {
    return this.#valueIn(schema, await this.#answer(this.#wire(method, path, body)));
  }

  /**
   * Makes a thing that must not be made twice. A request that got no answer may have been carried
   * out, so before another is sent `find` looks whether the thing is there.
   */
  async create<T>(
    schema: z.ZodType<T>,
    path: string,
    body: unknown,
    find: () => Promise<T | null>,
  ): Promise<T> {
    const wire = this.#wire("POST", path, body);
    for (let number = 1; ; number++) {
      const answer = await this.#answer(wire, (trouble) => ({ kind: "unknown" as const, trouble }));
      if (answer.kind === "answer") {
        const refusal = isSuccess(answer) ? null : this.#refused(answer);
        // "Exists already" after a request without an answer: that one was carried out, only late.
        const late = number > 1 && refusal?.reason === "conflict" ? await find() : null;
        return late ?? this.#valueIn(schema, answer);
      }
      const { trouble } = answer;
      if (number >= MAX_ATTEMPTS) throw this.fail(`${trouble}, ${number} times`);
      await this.#backOff(number, { words: trouble, waitMs: 0 });
      try {
        const found = await find();
        if (found !== null) return found;
      } catch (thrown) {
        throw this.#inDoubt(trouble, thrown);
      }
    }
  }

  /** Removes what is at `path`; that it is gone already is no failure. */
  async remove(path: string): Promise<void> {
    const answer = await this.#answer(this.#wire("DELETE", path));
    if (!isSuccess(answer) && answer.status !== 404) throw this.#refused(answer);
  }

  /** What all pages of a list have, in GitHub's order. `schema` is of a page. */
  async *list<T>(
    schema: z.ZodType<T[]>,
    path: string,
    parameters: Record<string, string> = {},
  ): AsyncGenerator<T> {
    const query = new URLSearchParams({ ...parameters, per_page: "100" });
    const first = this.#wire("GET", `${path}?${query}`);
    for (let url = first.url; ; ) {
      const answer = await this.#answer({ ...first, url });
      yield* this.#valueIn(schema, answer);
      const next = parseNextLink(answer.headers.get("link"));
      if (next === null) return;
      // The token goes to the API and nowhere else, whatever an answer says.
      if (URL.parse(next)?.origin !== new URL(first.url).origin) {
        throw this.fail("a next page that is not at the API's address");
      }
      url = next;
    }
  }

  /** Bytes behind the redirect of `path`; the token is not sent to where it leads. */
  async download(path: string, maxBytes: number): Promise<Uint8Array> {
    const wire: Wire = {
      ...this.#wire("GET", path),
      maxBytes,
      timeoutMs: DOWNLOAD_MS,
      redirect: "manual",
    };
    // The second address holds for a minute only, so an attempt is both steps.
    for (let number = 1; ; number++) {
      const first = await this.#answer(wire);
      if (isSuccess(first)) return first.bytes;
      const location = first.status === 302 ? first.headers.get("location") : null;
      if (location === null) throw this.#refused(first);
      const url = new URL(location, wire.url).href;
      const second = await this.#try({ ...wire, url, headers: USER_AGENT, redirect: "follow" });
      if (second.kind === "answer" && isSuccess(second)) return second.bytes;
      const words =
        second.kind === "lost" ? second.words : `HTTP ${second.status} from the artifact store`;
      await this.#afterTrouble({ kind: "fault", words, waitMs: 0 }, number);
    }
  }

  fail(trouble: string): GitHubError {
    const { route, apiUrl } = this.#to;
    if (!route.hasAnswered) {
      return this.#failed("unavailable", `${apiUrl} cannot be reached (${route.seen})`, {
        detail: this.#clean(route.silent?.words ?? trouble),
        next: adviceOn(route, route.silent?.code),
      });
    }
    return this.#failed("unavailable", "no usable answer from GitHub", {
      detail: this.#clean(trouble),
      next: "Run it again later; https://www.githubstatus.com may know more.",
    });
  }

  /** For a refusal that does not come as HTTP 403. */
  forbidden(text: string): GitHubError {
    const refusal = { status: 403, message: this.#clean(text), problems: [], accepted: null };
    return refusalOf(this.#operation, this.#to.repository, refusal);
  }

  /**
   * The first answer that is final, a refusal too. What got none is sent again or, where it may have
   * been carried out and `unsure` is given, ends as that says.
   */
  async #answer<Unsure = never>(
    wire: Wire,
    unsure?: (trouble: string) => Unsure,
  ): Promise<Answer | Unsure> {
    const { clock } = this.#to;
    for (let number = 1; ; number++) {
      const result = await this.#try(wire);
      let trouble: Trouble = { kind: "fault", words: "", waitMs: 0 };
      if (result.kind === "lost") trouble.words = result.words;
      else {
        const message = result.status >= 400 ? refusalIn(result).message : "";
        const found = troubleOf({ ...result, message }, number, Date.parse(clock.wallTime()));
        if (found === null) return result;
        trouble = found;
      }
      const wasSeen = result.kind === "answer" || result.sent;
      if (unsure !== undefined && trouble.kind === "fault" && wasSeen) {
        return unsure(this.#clean(trouble.words));
      }
      await this.#afterTrouble(trouble, number);
    }
  }

  /** Within what is left of the operation's time. */
  async #try(wire: Wire) {
    const { clock, route } = this.#to;
    const nowMs = clock.nowMs();
    const leftMs = this.#deadlineMs - nowMs;
    if (leftMs <= 0) throw this.fail(`not done within ${Math.round(this.#mostMs / 1000)} s`);
    const timeoutMs = Math.ceil(Math.min(wire.timeoutMs, leftMs));
    const result = await attempt({ ...wire, timeoutMs }, this.#to.fetch ?? fetch);
    route.spentMs += clock.nowMs() - nowMs;
    if (result.kind !== "lost") route.hasAnswered = true;
    else route.silent ??= { sinceMs: nowMs, words: result.words, code: result.code };
    if (result.kind !== "too-large") return result;
    throw this.#failed("too-large", `more than ${wire.maxBytes.toLocaleString("en")} bytes`, {
      detail: "Reading was stopped there.",
    });
  }

  async #afterTrouble(trouble: Trouble, number: number): Promise<void> {
    if (trouble.kind === "fault") {
      if (number >= MAX_ATTEMPTS) throw this.fail(`${trouble.words}, ${number} times`);
      return await this.#backOff(number, trouble);
    }
    const words = `${trouble.which} rate limit of GitHub reached`;
    const limited = this.#failed("rate-limited", words, {
      detail: `GitHub asks to wait for ${Math.ceil(trouble.waitMs / 1000)} s.`,
      next: "Run it again after that. All jobs of a repository share one limit.",
    });
    if (number >= MAX_ATTEMPTS) throw limited;
    await this.#sleep(trouble.waitMs, words, limited);
  }

  #backOff(number: number, { words, waitMs }: { words: string; waitMs: number }): Promise<void> {
    const random = this.#to.random ?? Math.random;
    return this.#sleep(Math.max(waitMs, backOffMs(number, random())), words, this.fail(words));
  }

  /** Fails with `otherwise` where that would last longer than the operation may. */
  async #sleep(waitMs: number, words: string, otherwise: GitHubError): Promise<void> {
    const { clock, log, route } = this.#to;
    if (clock.nowMs() + waitMs > this.#deadlineMs) throw otherwise;
    const again = `again in ${(waitMs / 1000).toFixed(1)} s`;
    log(`github: ${this.#operation}: ${this.#clean(words)}; ${again}`);
    await clock.sleep(waitMs);
    route.spentMs += waitMs;
  }

  #valueIn<T>(schema: z.ZodType<T>, answer: Answer): T {
    if (!isSuccess(answer)) throw this.#refused(answer);
    const value = jsonIn(answer);
    if (value === undefined) throw this.fail(`HTTP ${answer.status} with a body that is no JSON`);
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw this.fail(`HTTP ${answer.status} with ${describeIssues(result.error, value).join("; ")}`);
  }

  #refused(answer: Answer): GitHubError {
    const { message, errors } = refusalIn(answer);
    return refusalOf(this.#operation, this.#to.repository, {
      status: answer.status,
      message: this.#clean(message),
      problems: errors.map((one) => this.#clean(problemText(one))),
      accepted: answer.headers.get("x-accepted-github-permissions"),
    });
  }

  #inDoubt(trouble: string, thrown: unknown): GitHubError {
    const { does } = OPERATIONS[this.#operation];
    const words = `could not ${does}, or it was done and GitHub could not say so`;
    return new GitHubError("unavailable", words, {
      detail: `${trouble}; the look whether it was done failed too: ${messageOf(thrown)}`,
      next: "Look on GitHub before running it again.",
    });
  }

  #failed(
    reason: GitHubFailure,
    words: string,
    text: { detail: string; next?: string },
  ): GitHubError {
    const { does } = OPERATIONS[this.#operation];
    return new GitHubError(reason, `could not ${does} in ${this.#to.repository}: ${words}`, text);
  }

  /** Nothing foreign is shown at length, and the token never. */
  #clean(text: string): string {
    return text.replaceAll(this.#to.token, "***").slice(0, MAX_FOREIGN_CHARS);
  }

  #wire(method: Wire["method"], path: string, body?: unknown): Wire {
    return {
      method,
      url: this.#addressOf(path),
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${this.#to.token}`,
        ...USER_AGENT,
        "x-github-api-version": API_VERSION,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      maxBytes: MAX_JSON_BYTES,
      timeoutMs: ATTEMPT_MS,
      redirect: "follow",
    };
  }

  #addressOf(path: string): string {
    const { apiUrl, repository } = this.#to;
    // A GitHub Enterprise Server has its REST API at /api/v3 and GraphQL beside it.
    if (path === "/graphql") return `${apiUrl.replace(/\/v3$/, "")}${path}`;
    if (path.startsWith("/")) return `${apiUrl}${path}`;
    return path === "" ? `${apiUrl}/repos/${repository}` : `${apiUrl}/repos/${repository}/${path}`;
  }
}

function isSuccess({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** Undefined where it is none: a proxy's page in place of GitHub's JSON. */
function jsonIn({ bytes }: Answer): unknown {
  return tryJson(Buffer.from(bytes).toString("utf8"));
}

function refusalIn(answer: Answer): z.output<typeof refusalAnswer> {
  return refusalAnswer.safeParse(jsonIn(answer)).data ?? { message: "", errors: [] };
}

/** GitHub's `errors` are sentences, or objects that name a field. */
function problemText(problem: unknown): string {
  if (typeof problem === "string") return problem;
  if (typeof problem !== "object" || problem === null) return String(problem);
  const { message, field, code } = problem as Record<string, unknown>;
  if (typeof message === "string") return message;
  return [field, code].filter((word) => typeof word === "string").join(": ");
}
