// The way to a server, GitHub above all: the proxy that the environment names, read as actions/* read
// it, and whether anything has answered yet. Node's fetch takes the proxy from Node itself: undici's
// agent would add 700 kB to the bundle, and NODE_USE_ENV_PROXY counts only where it is set before Node
// starts.
import http from "node:http";

/** All clients of a step share one. */
export interface Route {
  /** The variables that name a proxy, without a password. */
  readonly seen: string;
  readonly advice: string;
  hasAnswered: boolean;
  /** On questions and waits so far. */
  spentMs: number;
  /** What came of the first question, as long as nothing has answered. */
  silent: { sinceMs: number; words: string; code: string | null } | null;
}

const LOOPBACK = /^(localhost|127\..*|\[::1\])$/;
/** The one that signed is unknown, as that of a proxy which reads along. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED|UNABLE_TO_/;
const PLACE = "A self-hosted runner reads it from the file .env in its folder, when it starts.";

function routeOf(seen: string, advice: string): Route {
  return { seen, advice: `${advice} ${PLACE}`, hasAnswered: false, spentMs: 0, silent: null };
}

/** From now on this process's fetch takes it. */
export function openRoute(apiUrl: string, env: NodeJS.ProcessEnv): Route {
  const api = URL.parse(apiUrl);
  const lower = api?.protocol === "http:" ? "http_proxy" : "https_proxy";
  const given = (name: string) => [name, name.toUpperCase()].find((one) => env[one]);
  const name = given(lower);
  if (name === undefined || api === null || LOOPBACK.test(api.hostname)) {
    const variable = lower.toUpperCase();
    const seen = name === undefined ? `${variable} is not set` : "no proxy is between";
    return routeOf(seen, `If this machine needs a proxy, set ${variable}.`);
  }
  const text = env[name] ?? "";
  const proxy = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (proxy === null || !/^https?:$/.test(proxy.protocol)) {
    // Only what is published needs GitHub.
    const seen = `${name} is no http or https address of a proxy`;
    return routeOf(seen, "Write it as http://host:port.");
  }
  const no = given("no_proxy");
  const set = { [lower]: proxy.href, no_proxy: no === undefined ? "" : env[no] };
  http.setGlobalProxyFromEnv?.(set);
  const check = `Check ${name}, or add ${api.hostname} to NO_PROXY if it is reached directly.`;
  // Node before 24.14.
  const isUsed = http.setGlobalProxyFromEnv !== undefined || env.NODE_USE_ENV_PROXY === "1";
  const old = `Set NODE_USE_ENV_PROXY=1 too: Node ${process.versions.node} uses no proxy without.`;
  const seen = `${name} is ${proxy.protocol}//${proxy.host}`;
  return routeOf(no === undefined ? seen : `${seen}, ${no} is ${env[no]}`, isUsed ? check : old);
}

/** `code`: of what came instead of an answer. */
export function adviceOn({ advice }: Route, code: string | null = null): string {
  return UNKNOWN_AUTHORITY.test(code ?? "")
    ? `Set NODE_EXTRA_CA_CERTS to a file with the certificate (PEM) of who signed it. ${PLACE}`
    : advice;
}
