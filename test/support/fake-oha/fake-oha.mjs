// Stands in for oha where a test asks nothing of the load itself: takes the flags that we give, sends a few real requests, and writes
// the report and the rows that oha writes, for as many requests as it was asked for. contract.live.test.ts holds it against the real one.
//
// How long requests took is what the service announces in `x-latency-us`, else the least that any of them did take, spread by a
// generator of random numbers that FAKE_OHA_SEED and the number of the call begin. FAKE_OHA_CALLS names the file that counts calls.
// FAKE_OHA_LATE_US is how late the second half of the requests is released, as by a generator whose CPU was taken.
import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { exchange } from "../../../src/machine/run/probe/exchange.ts";

const MOST_SENT = 20;
const MOST_LANES = 4;
/** Of the logarithm of a latency. */
const SPREAD = 0.15;
/** From the release of a request to its first byte on a connection. */
const WRITE_US = 40;
const LATENCY_HEADER = "x-latency-us";

const text = (short, fallback) => ({ type: "string", ...(short && { short }), default: fallback });
const flag = { type: "boolean" };

function readFlags() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        version: flag,
        "no-tui": flag,
        "output-format": text(),
        output: text("o"),
        "db-url": text(),
        requests: text("n", "200"),
        rate: text("q"),
        connections: text("c", "50"),
        "latency-correction": flag,
        "worker-threads": text(),
        timeout: text("t", "5000ms"),
        redirect: text("r"),
        "disable-compression": flag,
        "disable-keepalive": flag,
        method: text("m", "GET"),
        header: { type: "string", short: "H", multiple: true, default: [] },
        "content-type": text("T"),
        "body-file": text("D"),
        "bodies-file": text("Z"),
        "urls-from-file": flag,
        "rand-regex-url": flag,
        http2: flag,
        "unix-socket": text(),
        cacert: text(),
        "connect-to": text(),
      },
    });
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}

/** A path that a pattern of ours matches: of everything the first. */
function expand(pattern) {
  return pattern
    .replaceAll(/\[(\\?.)[^\]]*\]/g, "$1")
    .replaceAll(/\(([^|)]*)[^)]*\)/g, "$1")
    .replaceAll(/([^\\])(?:[?*+]|\{[\d,]+\})/g, "$1")
    .replaceAll(/\\(.)/g, "$1");
}

const linesOf = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean);

/** Of a file of bodies the lines in turn, where oha draws them. */
function bodyOf(flags, at) {
  if (flags["bodies-file"] === undefined) {
    return flags["body-file"] && readFileSync(flags["body-file"]);
  }
  const lines = linesOf(flags["bodies-file"]);
  return Buffer.from(lines[at % lines.length].trimEnd());
}

/** Sends one request; how it ended, as oha counts it. */
function send(url, flags, agent, at) {
  const headers = headersOf(flags);
  const body = bodyOf(flags, at);
  if (body) headers["content-length"] = body.length;
  const timeout = Number.parseInt(flags.timeout, 10);
  const started = performance.now();
  return new Promise((done) => {
    const sent = request(url, { method: flags.method, headers, agent, timeout }, (response) => {
      let bytes = 0;
      response.on("data", (chunk) => {
        bytes += chunk.length;
      });
      response.on("error", fail);
      response.on("end", () => {
        const tookUs = (performance.now() - started) * 1000;
        const announced = Number(response.headers[LATENCY_HEADER] ?? Number.NaN);
        done({ status: response.statusCode, bytes, tookUs, announced });
      });
    });
    const fail = ({ code, message }) => {
      const refused = "Connection refused (os error 111)";
      done({ error: code === "ECONNREFUSED" ? refused : message });
    };
    sent.on("timeout", () => sent.destroy(new Error("timeout")));
    sent.on("error", fail);
    sent.end(body);
  });
}

/** The same over TLS, HTTP/2 or a unix socket, each on a connection of its own. */
async function sendOver(url, flags, at) {
  const { hostname, port, protocol, pathname, search } = new URL(url);
  const tls = protocol === "https:" ? { ca: flags.cacert, name: hostname } : null;
  const transport = { protocol: flags.http2 ? "h2" : "http1", socket: flags["unix-socket"], tls };
  const started = performance.now();
  try {
    const { status, body } = await exchange(
      { port, transport },
      {
        method: flags.method,
        path: pathname + search,
        headers: headersOf(flags),
        body: bodyOf(flags, at),
        signal: AbortSignal.timeout(Number.parseInt(flags.timeout, 10)),
      },
    );
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    const tookUs = (performance.now() - started) * 1000;
    return { status, bytes, tookUs, announced: Number.NaN };
  } catch (error) {
    return { error: error.message };
  }
}

function headersOf(flags) {
  const headers = Object.fromEntries(flags.header.map((line) => line.split(/: ?(.*)/s, 2)));
  if (flags["content-type"]) headers["content-type"] = flags["content-type"];
  return headers;
}

/** In order; a few at a time. */
async function sendSome(urls, flags) {
  const [url] = urls;
  const outcomes = [];
  const connections = Number(flags.connections);
  const total = Math.min(MOST_SENT, Number(flags.requests));
  const agent = new Agent({ keepAlive: !flags["disable-keepalive"] });
  const isPlain = url.startsWith("http:") && !flags.http2 && !flags["unix-socket"];
  let next = 0;
  const lane = async () => {
    while (next < total) {
      const at = next++;
      const one = urls[at % urls.length];
      outcomes[at] = isPlain ? await send(one, flags, agent, at) : await sendOver(one, flags, at);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, MOST_LANES) }, lane));
  agent.destroy();
  return outcomes;
}

/** A generator of standard normal numbers (mulberry32, Box-Muller). */
function normals(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** How often this was called before, where somebody counts. */
function countCall() {
  const file = process.env.FAKE_OHA_CALLS;
  if (file === undefined) return 0;
  appendFileSync(file, ".");
  return statSync(file).size;
}

/** One row for each answer: what was sent stands for what was asked for, in equal parts. */
function makeRows(outcomes, { requests, rate }) {
  const seed = Number(process.env.FAKE_OHA_SEED ?? 1);
  const normal = normals(Math.imul(seed, 0x9e3779b1) ^ Math.imul(countCall(), 0x85ebca6b));
  const periodS = 1 / Number(rate);
  const lateS = Number(process.env.FAKE_OHA_LATE_US ?? 0) / 1e6;
  const answered = outcomes.filter(({ error }) => error === undefined);
  const leastUs = Math.min(...answered.map(({ tookUs }) => tookUs));
  const rows = [];
  const errors = {};
  for (let i = 0; i < Number(requests); i++) {
    const outcome = outcomes[Math.floor((i * outcomes.length) / Number(requests))];
    if (outcome.error !== undefined) {
      errors[outcome.error] = (errors[outcome.error] ?? 0) + 1;
      continue;
    }
    const usualUs = Number.isNaN(outcome.announced) ? leastUs : outcome.announced;
    const duration = (usualUs * Math.exp(SPREAD * normal())) / 1e6;
    const released = 0.001 + i * periodS + (2 * i < Number(requests) ? 0 : lateS);
    const start = released + Math.min(WRITE_US / 1e6, duration / 2);
    rows.push({ ...outcome, released, start, end: released + duration, duration });
  }
  return { rows, errors };
}

function writeRows(file, url, rows) {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE IF NOT EXISTS oha (
            url TEXT NOT NULL,
            start REAL NOT NULL,
            start_latency_correction REAL,
            end REAL NOT NULL,
            duration REAL NOT NULL,
            status INTEGER NOT NULL,
            len_bytes INTEGER NOT NULL,
            run INTEGER NOT NULL
        ); BEGIN`);
  const insert = database.prepare("INSERT INTO oha VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const run = Math.floor(Date.now() / 1000);
  const { pathname, search } = new URL(url);
  for (const { start, released, end, duration, status, bytes } of rows) {
    insert.run(pathname + search, start, released, end, duration, status, bytes, run);
  }
  database.exec("COMMIT");
  database.close();
}

/** Of the report the two distributions that we read. */
function describe(rows, errors) {
  const statuses = {};
  for (const { status } of rows) statuses[status] = (statuses[status] ?? 0) + 1;
  return { statusCodeDistribution: statuses, errorDistribution: errors };
}

const started = performance.now();
const { values: flags, positionals } = readFlags();
if (flags.version) {
  console.log("oha 1.16.0-fake");
  process.exit(0);
}
const [given] = positionals;
if (given === undefined) {
  console.error("URL is required");
  process.exit(101);
}
const urls = flags["urls-from-file"]
  ? linesOf(given)
  : [flags["rand-regex-url"] ? expand(given) : given];
const [url] = urls;
const outcomes = await sendSome(urls, flags);
const { rows, errors } = makeRows(outcomes, flags);
if (flags["db-url"] !== undefined) writeRows(flags["db-url"], url, rows);
const scheduleS = flags.rate === undefined ? 0.001 : Number(flags.requests) / Number(flags.rate);
await sleep(Math.max(0, scheduleS * 1000 - (performance.now() - started)));
writeFileSync(flags.output, JSON.stringify(describe(rows, errors)));
