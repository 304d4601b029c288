// The client behind proxies: a process of its own for each case, since its environment is read once.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { resolve } from "node:path";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ServedGitHub, startFakeGitHub } from "../../test/fake-github/server.ts";
import { SEED, WRITE_TOKEN } from "../../test/fake-github/testing.ts";
import { makeTestFolder } from "../../test/support/build.ts";
import { startProxy } from "../../test/support/proxy.ts";
import { makeCertificate } from "../../test/support/transport-address.ts";

/** Nothing but the proxy knows it. */
const HOST = "github.invalid";
const HTTPS = `https://${HOST}`;
const HTTP = `http://${HOST}`;
const MOST_MS = 20_000;

const folder = makeTestFolder();
let fake: ServedGitHub;
let fakeOfTls: ServedGitHub;
let plain: { port: number };
let encrypted: { port: number };
let authority: string;

beforeAll(async () => {
  fake = await startFakeGitHub({ seed: SEED });
  plain = { port: Number(new URL(fake.url).port) };
  fakeOfTls = await startFakeGitHub({ seed: SEED, origin: HTTPS });
  const { port } = new URL(fakeOfTls.url);
  const { ca, cert, key } = await makeCertificate(folder.path, HOST);
  authority = ca;
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (socket) => {
    const inner = connect(Number(port), "127.0.0.1");
    inner.on("error", () => socket.destroy());
    socket.on("error", () => inner.destroy());
    inner.pipe(socket).pipe(inner);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  encrypted = server.address() as AddressInfo;
});
afterAll(async () => {
  await Promise.all([fake.close(), fakeOfTls.close()]);
  folder[Symbol.dispose]();
});

/** Asks for a name, and for bytes from behind a redirect. */
const ASK = `
const { connectGitHub } = await import(${JSON.stringify(resolve(import.meta.dirname, "client.ts"))});
const { openRoute } = await import(${JSON.stringify(resolve(import.meta.dirname, "../machine/sys/route.ts"))});
const { systemClock } = await import(${JSON.stringify(resolve(import.meta.dirname, "../machine/sys/clock.ts"))});
const said = await (async () => {
  const { API: apiUrl, TOKEN: token } = process.env;
  const route = openRoute(apiUrl, process.env);
  const lines = [];
  const log = (line) => lines.push(line);
  const github = connectGitHub({ repository: "acme/app", apiUrl, token, route, clock: systemClock, log });
  try {
    await github.whoAmI();
    return "answered " + Buffer.from(await github.downloadArtifact(601, { maxBytes: 5 }));
  } catch (thrown) {
    // As a step goes on, which asks for the next thing.
    const again = await github.workflowRun(9001).catch(({ message }) => message);
    const { message, detail, next } = thrown;
    return [message, detail, next, again, ...lines].join("\\n");
  }
})().catch(({ message, next }) => message + "\\n" + next);
console.log(said);
process.exit();
`;

/** Node 24.13 and older have no such function. */
const OLD_NODE = 'import http from "node:http"; delete http.setGlobalProxyFromEnv;';

async function ask(apiUrl: string, env: Record<string, string>, before = ""): Promise<string> {
  const args = ["--input-type=module", "-e", before + ASK];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, API: apiUrl, TOKEN: WRITE_TOKEN, ...env },
    timeout: 60_000,
  });
  return stdout;
}

interface Case {
  name: string;
  apiUrl?: string;
  how?: "tunnels" | "refuses" | "hangs";
  /** Default: this test's own Node. */
  node?: string;
  /** `P` stands for the proxy's host and port, `CA` for the file of the authority. */
  env: Record<string, string>;
  /** In the answer, in order. */
  says: string[];
  /** Each thing that the proxy is asked for; empty: it is left alone. */
  asks: string[];
}

const ANSWERED = ["answered a zip"];
const TUNNEL = [`CONNECT ${HOST}:443`];
const CA = { NODE_EXTRA_CA_CERTS: "CA" };

const CASES: readonly Case[] = [
  { name: "HTTPS_PROXY", env: { ...CA, HTTPS_PROXY: "http://P" }, says: ANSWERED, asks: TUNNEL },
  { name: "https_proxy", env: { ...CA, https_proxy: "http://P" }, says: ANSWERED, asks: TUNNEL },
  {
    name: "the lower case first",
    env: { ...CA, https_proxy: "http://P", HTTPS_PROXY: "http://127.0.0.1:9" },
    says: ANSWERED,
    asks: TUNNEL,
  },
  { name: "no scheme", env: { ...CA, HTTPS_PROXY: "P" }, says: ANSWERED, asks: TUNNEL },
  {
    name: "a password",
    env: { ...CA, HTTPS_PROXY: "http://me:s%40cret@P" },
    says: ANSWERED,
    asks: [`CONNECT ${HOST}:443 as me:s@cret`],
  },
  {
    name: "HTTP_PROXY for an address of http",
    apiUrl: HTTP,
    env: { HTTP_PROXY: "http://P" },
    says: ANSWERED,
    asks: [`CONNECT ${HOST}:80`],
  },
  {
    name: "HTTP_PROXY is not for https",
    env: { ...CA, HTTP_PROXY: "http://P" },
    says: [`${HTTPS} cannot be reached (HTTPS_PROXY is not set)`, "ENOTFOUND", "set HTTPS_PROXY"],
    asks: [],
  },
  {
    name: "NO_PROXY",
    env: { ...CA, HTTPS_PROXY: "http://P", NO_PROXY: "example.com,.invalid" },
    says: [
      `${HTTPS} cannot be reached (HTTPS_PROXY is http://P, NO_PROXY is example.com,.invalid)`,
      "ENOTFOUND",
    ],
    asks: [],
  },
  {
    name: "no_proxy of all",
    env: { ...CA, HTTPS_PROXY: "http://P", no_proxy: "*" },
    says: ["no_proxy is *", "ENOTFOUND"],
    asks: [],
  },
  {
    name: "nothing set",
    env: {},
    says: [
      `could not say whose token this is in acme/app: ${HTTPS} cannot be reached (HTTPS_PROXY is not set)`,
      "ENOTFOUND",
      "If this machine needs a proxy, set HTTPS_PROXY. A self-hosted runner reads it from the file .env",
      "could not read a workflow run in acme/app",
      "github: whoAmI: ENOTFOUND",
    ],
    asks: [],
  },
  {
    name: "nobody listens",
    env: { HTTPS_PROXY: "http://127.0.0.1:9" },
    says: ["HTTPS_PROXY is http://127.0.0.1:9", "ECONNREFUSED", "Check HTTPS_PROXY, or add"],
    asks: [],
  },
  {
    name: "refused",
    how: "refuses",
    env: { HTTPS_PROXY: "http://me:secret@P" },
    says: ["(HTTPS_PROXY is http://P)", "407", "Check HTTPS_PROXY"],
    asks: [`CONNECT ${HOST}:443 as me:secret`],
  },
  {
    name: "no answer",
    how: "hangs",
    env: { HTTPS_PROXY: "http://P" },
    says: ["(HTTPS_PROXY is http://P)", "no answer within 12 s", "Check HTTPS_PROXY"],
    asks: TUNNEL,
  },
  {
    name: "an unknown authority",
    env: { HTTPS_PROXY: "http://P" },
    says: [
      "(HTTPS_PROXY is http://P)",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "Set NODE_EXTRA_CA_CERTS",
    ],
    asks: TUNNEL,
  },
  {
    name: "an older Node",
    node: OLD_NODE,
    env: { HTTPS_PROXY: "http://P" },
    says: ["ENOTFOUND", "Set NODE_USE_ENV_PROXY=1 too: Node 24"],
    asks: [],
  },
  {
    name: "an older Node that is told",
    node: OLD_NODE,
    env: { ...CA, HTTPS_PROXY: "http://P", NODE_USE_ENV_PROXY: "1" },
    says: ANSWERED,
    asks: TUNNEL,
  },
  ...["http://a b", "socks5://P", "ftp://me:secret@P"].map((text) => ({
    name: `no proxy's address: ${text}`,
    env: { HTTPS_PROXY: text },
    says: [
      `${HTTPS} cannot be reached (HTTPS_PROXY is no http or https address of a proxy)`,
      "Write it as http://host:port",
      "could not read a workflow run in acme/app",
    ],
    asks: [],
  })),
];

test.concurrent.each(CASES)("$name", async ({ apiUrl = HTTPS, how, node, env, says, asks }) => {
  await using proxy = await startProxy(apiUrl === HTTP ? plain : encrypted, how);
  const filled = (text: string) => text.replace(/\bP\b/, proxy.host).replace(/^CA$/, authority);
  const given = Object.entries(env).map(([name, value]) => [name, filled(value)]);
  const begunMs = performance.now();
  const said = await ask(apiUrl, Object.fromEntries(given), node);
  expect(performance.now() - begunMs).toBeLessThan(MOST_MS);
  let at = 0;
  for (const words of says.map(filled)) {
    const found = said.indexOf(words, at);
    expect(found, `${words} in\n${said}`).toBeGreaterThanOrEqual(0);
    at = found;
  }
  expect(said).not.toContain("secret");
  expect([...new Set(proxy.asked)]).toEqual(asks);
});

test("this machine is reached without a proxy", async () => {
  await using proxy = await startProxy(plain);
  expect(await ask(fake.url, { HTTP_PROXY: `http://${proxy.host}` })).toBe("answered a zip\n");
  expect(proxy.connections()).toBe(0);
});
