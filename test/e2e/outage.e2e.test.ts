// Half a minute of requests while the database, the cache and the upstream are away: answers within the time-out, with the
// contract's error, and again the right ones when all is back. Time in which this process itself was held up is nobody's answer time.
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { StallWatch } from "../support/stalls.ts";
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
const RATE_RPS = 200;
const OUTAGE_MS = 30_000;
const RECOVERY_MS = 5_000;
/** Before and after. */
const GOOD_MS = 2_000;

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
  /** Of these, milliseconds in which this process, and so perhaps the service, was held up. */
  heldUpMs: number;
}

/** The answer, and the time of the request. */
type Timed = Omit<Answer, "heldUpMs"> & { startedMs: number };

function ask(origin: string, path: string, agent: Agent): Promise<Timed> {
  const startedMs = performance.now();
  return new Promise((done, fail) => {
    request(`${origin}${path}`, { agent, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () =>
        done({
          status: response.statusCode ?? 0,
          text,
          startedMs,
          tookMs: performance.now() - startedMs,
        }),
      );
    })
      .on("timeout", () => fail(new Error(`${path}: no answer in 10 s`)))
      .on("error", fail)
      .end();
  });
}

/** Requests in turn over the routes at the fixed rate, whether or not earlier ones are answered. By path. */
async function load(origin: string, durationMs: number): Promise<Map<string, Answer[]>> {
  using watch = new StallWatch();
  const agent = new Agent({ keepAlive: true });
  const pending = new Map(ROUTES.map(({ path }) => [path, [] as Promise<Timed>[]]));
  const startedMs = performance.now();
  const total = Math.round((durationMs / 1000) * RATE_RPS);
  for (let i = 0; i < total; i++) {
    const dueMs = startedMs + (i * 1000) / RATE_RPS;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const { path } = ROUTES[i % ROUTES.length] as (typeof ROUTES)[number];
    pending.get(path)?.push(ask(origin, path, agent));
  }
  const timed = await Promise.all(
    [...pending].map(async ([path, own]) => [path, await Promise.all(own)] as const),
  );
  agent.destroy();
  // A tick that is due comes before this one, so that the watch has seen a stall at the very end.
  await sleep(10);
  return new Map(
    timed.map(([path, own]) => [
      path,
      own.map(({ startedMs, ...answer }) => ({
        ...answer,
        heldUpMs: watch.within(startedMs, startedMs + answer.tookMs),
      })),
    ]),
  );
}

/** All is there, so every answer is a good one: of those that a stall may have driven into a time-out it is not asked. */
function expectGood(answers: ReadonlyMap<string, readonly Answer[]>): void {
  for (const [path, all] of answers) {
    const undisturbed = all.filter(({ heldUpMs }) => heldUpMs === 0);
    expect(undisturbed.length, `${path}, answers in good time`).toBeGreaterThan(all.length / 4);
    expect(new Set(undisturbed.map(({ status }) => status)), path).toEqual(new Set([200]));
  }
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
      expectGood(await load(service.origin, GOOD_MS));

      await Promise.all([...proxies.values()].map((proxy) => proxy.become(state)));
      const answers = await load(service.origin, OUTAGE_MS);
      for (const { path, errors, timeoutMs } of ROUTES) {
        const bodies = new Set(answers.get(path)?.map(({ status, text }) => `${status} ${text}`));
        const allowed = ERRORS.filter(({ code }) => errors.includes(code)).map(
          ({ code, status, message }) =>
            `${status} ${JSON.stringify({ error: { code, message } })}`,
        );
        expect(allowed, `${name} ${path}`).toEqual(expect.arrayContaining([...bodies]));
        const slowest = Math.max(
          ...(answers.get(path) ?? []).map(({ tookMs, heldUpMs }) => tookMs - heldUpMs),
        );
        expect(slowest, `${name} ${path}, slowest answer in ms`).toBeLessThan(timeoutMs + GRACE_MS);
      }

      await Promise.all([...proxies.values()].map((proxy) => proxy.become("up")));
      await sleep(RECOVERY_MS);
      expectGood(await load(service.origin, GOOD_MS));
      expect(await service.stop()).toBe(0);
    } finally {
      await service.stop();
      await Promise.all([...proxies.values()].map((proxy) => proxy.close()));
    }
  });
});
