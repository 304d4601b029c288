// Half a minute of requests while the database, the cache and the upstream are away: every one is
// answered, with the contract's error, usually within the time-out, and again the right ones when
// all is back. "Usually" and "again" leave room for a host that stops everything for most of a
// second, which no service can answer through.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { median } from "../../src/core/stats/dispersion.ts";
import { FaultyProxy, type ProxyState } from "./faulty-proxy.ts";
import {
  type Dependency,
  dependencyUrls,
  NO_DEPENDENCIES,
  SERVICE_NAMES,
  SERVICES,
  startService,
} from "./service.ts";

/** Milliseconds, given to the service. */
const TIMEOUTS = { DATABASE_TIMEOUT_MS: 400, REDIS_TIMEOUT_MS: 200, UPSTREAM_TIMEOUT_MS: 300 };
/** What a request may take beyond its time-out, on a busy machine. */
const GRACE_MS = 400;
/** After which a request counts as never answered. */
const NEVER_MS = 30_000;
/**
 * Answers of a route, one after the other, of which the slowest counts: half a second of requests.
 * A fault that makes one in forty too slow spoils most batches; a host that stops everything for .7
 * s in every 3 spoils fewer than half.
 */
const BATCH = 30;
const RATE_RPS = 200;
const OUTAGE_MS = 30_000;
/** When all is there, a second of good answers must come within this. */
const GOOD_WITHIN_MS = 20_000;
const GOOD_MS = 1_000;

/** Route, what it hangs on, and the errors it may answer with while that is away. */
const ROUTES: { path: string; needs: Dependency; timeoutMs: number; errors: readonly string[] }[] =
  [
    {
      path: "/users/7",
      needs: "DATABASE_URL",
      timeoutMs: TIMEOUTS.DATABASE_TIMEOUT_MS,
      errors: ["database_unavailable", "database_timeout"],
    },
    {
      path: "/users/7?cache=true",
      needs: "REDIS_URL",
      timeoutMs: TIMEOUTS.REDIS_TIMEOUT_MS,
      errors: ["cache_unavailable", "cache_timeout"],
    },
    {
      path: "/fanout?calls=3",
      needs: "UPSTREAM_URL",
      timeoutMs: TIMEOUTS.UPSTREAM_TIMEOUT_MS,
      errors: ["upstream_unavailable", "upstream_timeout"],
    },
  ];

const ERRORS = JSON.parse(readFileSync(join(SERVICES, "contract/errors.json"), "utf8")) as {
  code: string;
  status: number;
  message: string;
}[];

interface Answer {
  status: number;
  text: string;
  tookMs: number;
}

function ask(origin: string, path: string, agent: Agent): Promise<Answer> {
  const startedMs = performance.now();
  return new Promise((done, fail) => {
    request(`${origin}${path}`, { agent, timeout: NEVER_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        done({ status: response.statusCode ?? 0, text, tookMs: performance.now() - startedMs }),
      );
    })
      .on("timeout", () => fail(new Error(`${path}: no answer in ${NEVER_MS} ms`)))
      .on("error", fail)
      .end();
  });
}

/**
 * Requests in turn over the routes at the fixed rate, whether or not earlier ones are answered. By
 * path.
 */
async function load(origin: string, durationMs: number): Promise<Map<string, Answer[]>> {
  const agent = new Agent({ keepAlive: true });
  const pending = new Map(ROUTES.map(({ path }) => [path, [] as Promise<Answer>[]]));
  const startedMs = performance.now();
  const total = Math.round((durationMs / 1000) * RATE_RPS);
  for (let i = 0; i < total; i++) {
    const dueMs = startedMs + (i * 1000) / RATE_RPS;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const { path } = ROUTES[i % ROUTES.length] as (typeof ROUTES)[number];
    pending.get(path)?.push(ask(origin, path, agent));
  }
  const answers = await Promise.all(
    [...pending].map(async ([path, own]) => [path, await Promise.all(own)] as const),
  );
  agent.destroy();
  return new Map(answers);
}

/** All is there: soon, for a second, every answer is a good one. */
async function expectGood(origin: string): Promise<void> {
  const deadlineMs = performance.now() + GOOD_WITHIN_MS;
  for (;;) {
    const answers = [...(await load(origin, GOOD_MS)).values()].flat();
    const bad = answers.filter(({ status }) => status !== 200).map(({ text }) => text);
    if (bad.length === 0) return;
    if (performance.now() > deadlineMs) {
      expect([...new Set(bad)], `still, ${GOOD_WITHIN_MS} ms after all was there`).toEqual([]);
    }
  }
}

/** Milliseconds of the slowest answer of a batch, in the median of the batches. */
function usuallySlowestMs(answers: readonly Answer[]): number {
  const slowest: number[] = [];
  for (let at = 0; at + BATCH <= answers.length; at += BATCH) {
    slowest.push(Math.max(...answers.slice(at, at + BATCH).map(({ tookMs }) => tookMs)));
  }
  return median(slowest);
}

const OUTAGES: ProxyState[] = ["down", "hanging"];

describe.each(SERVICE_NAMES)("%s", (name) => {
  test.for(OUTAGES)("with all it depends on %s", async (state, context) => {
    const urls = dependencyUrls();
    if (urls === null) {
      console.warn(`skipped: ${NO_DEPENDENCIES}`);
      return context.skip(NO_DEPENDENCIES);
    }
    const proxies = new Map<Dependency, FaultyProxy>();
    const env: Record<string, string> = Object.fromEntries(
      Object.entries(TIMEOUTS).map(([key, value]) => [key, String(value)]),
    );
    for (const { needs } of ROUTES) {
      const proxy = await FaultyProxy.before(urls[needs]);
      proxies.set(needs, proxy);
      env[needs] = proxy.url(urls[needs]);
    }
    const service = await startService(name, env);
    try {
      await expectGood(service.origin);

      await Promise.all([...proxies.values()].map((proxy) => proxy.become(state)));
      const answers = await load(service.origin, OUTAGE_MS);
      for (const { path, errors, timeoutMs } of ROUTES) {
        const bodies = new Set(answers.get(path)?.map(({ status, text }) => `${status} ${text}`));
        const allowed = ERRORS.filter(({ code }) => errors.includes(code)).map(
          ({ code, status, message }) =>
            `${status} ${JSON.stringify({ error: { code, message } })}`,
        );
        expect(allowed, `${name} ${path}`).toEqual(expect.arrayContaining([...bodies]));
        const slowestMs = usuallySlowestMs(answers.get(path) ?? []);
        expect(slowestMs, `${name} ${path}, ms`).toBeLessThan(timeoutMs + GRACE_MS);
      }

      await Promise.all([...proxies.values()].map((proxy) => proxy.become("up")));
      await expectGood(service.origin);
      expect(await service.stop()).toBe(0);
    } finally {
      await service.stop();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    }
  });
});
