// What answers 429 or 503 once a service is asked more often than it wants. Pure.
import { type Evidence, usedOf, words } from "./find-needs.ts";
import { variablesIn } from "./parse-port.ts";
import type { Limit, Program } from "./proposal.ts";

/** Names of packages, whole or up to a slash. */
const PACKAGES = words(`
  express-rate-limit express-slow-down rate-limiter-flexible @fastify/rate-limit
  @fastify/under-pressure @nestjs/throttler koa-ratelimit hono-rate-limiter
  slowapi flask-limiter fastapi-limiter django-ratelimit
  tower_governor tower-governor actix-governor actix-limitation rocket-governor axum-governor
  bucket4j-core bucket4j_jdk17-core bucket4j-spring-boot-starter
  github.com/ulule/limiter github.com/didip/tollbooth github.com/go-chi/httprate
  github.com/JGLTechnologies/gin-rate-limit github.com/gofiber/fiber/v2/middleware/limiter
  github.com/gofiber/fiber/v3/middleware/limiter`);
/** Where it is answered, not where an answer is compared with it or looked up in a list. */
const ANSWERED =
  /(?<!(?:case|[!=]==?)\s*[\w.:]*)\b(?:StatusTooManyRequests|TOO_MANY_REQUESTS)\b(?!\s*(?:=>|\||,\s*http\.Status|:\s*true))|\b(?:status|writeHead|sendStatus)\(\s*429\b|\bstatus_code\s*=\s*429\b|\bRateLimiter(?:WithConfig)?\(/;
const VARIABLE = /RATE_?LIMIT|THROTTLE|_RPS$|_RPM$/;

export function findLimit(
  { packages }: Pick<Program, "packages">,
  { files, samples }: Omit<Evidence, "containers">,
): Limit | null {
  const seenIn =
    usedOf(packages, PACKAGES) ?? files.find(({ text }) => ANSWERED.test(text))?.path ?? null;
  if (seenIn === null) return null;
  const names = new Set([...files.flatMap(({ text }) => variablesIn(text)), ...samples.keys()]);
  return { seenIn, variables: [...names].filter((name) => VARIABLE.test(name)).sort() };
}
