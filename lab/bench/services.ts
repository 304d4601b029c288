// What the reference services cost beyond the plainest program in the same framework that answers
// the same bytes: requests per second of the service's own CPU time, of both, in turn, in one run.
// Nothing else may run meanwhile. Needs oha on the PATH.
//
//   node lab/bench/services.ts
//
// Prints a Markdown table. Exits 1 when a service does less than 85 % of the plain program on any
// route.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const services = resolve(import.meta.dirname, "../../services");
const scratch = mkdtempSync(join(tmpdir(), "tailgate-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const TURNS = 31;
const LEAST_SHARE = 0.85;
/** Of the rates of all bursts, this quantile. */
const QUICK = 0.75;
const CONNECTIONS = 16;
const GENERATOR_CPU = 0;
const SERVICE_CPU = availableParallelism() > 1 ? 1 : 0;

const body = (name: string): string[] => [
  "-m",
  "POST",
  "-T",
  "application/json",
  "-D",
  join(services, "contract/bodies", name),
];
interface Route {
  name: string;
  path: string;
  /** Of oha. */
  args: readonly string[];
  requests: number;
}

const ROUTES: readonly Route[] = [
  { name: "/echo, 1 KiB", path: "/echo", args: body("echo-1k.json"), requests: 8_000 },
  { name: "/process", path: "/process?input=tailgate", args: [], requests: 150 },
  { name: "/experiments", path: "/experiments", args: body("experiment.json"), requests: 8_000 },
  { name: "/hello", path: "/hello/world", args: [], requests: 8_000 },
];

interface Program {
  build: readonly (readonly [string, ...string[]])[];
  service: string;
  plain: string;
  env: Readonly<Record<string, string>>;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  "axum-api": {
    build: [
      ["cargo", "build", "--release", "--locked", "--example", "plain"],
      ["cargo", "build", "--release", "--locked"],
    ],
    service: "target/release/axum-api",
    plain: "target/release/examples/plain",
    env: { TOKIO_WORKER_THREADS: "1" },
  },
  "gin-api": {
    build: [
      ["go", "build", "-trimpath", "-buildvcs=false", "-o", "bin/plain", "./plain"],
      ["go", "build", "-trimpath", "-buildvcs=false", "-o", "bin/gin-api", "."],
    ],
    service: "bin/gin-api",
    plain: "bin/plain",
    env: { GOMAXPROCS: "1" },
  },
};

interface Running {
  child: ChildProcess;
  pid: number;
  origin: string;
}

async function start(program: string, env: Program["env"]): Promise<Running> {
  const child = spawn("taskset", ["-c", String(SERVICE_CPU), program], {
    env: { ADDR: "127.0.0.1:0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.on("exit", () => child.kill("SIGKILL"));
  const [line] = await once(createInterface(child.stdout), "line");
  if (child.pid === undefined) throw new Error(`${program} did not start`);
  return { child, pid: child.pid, origin: line.replace("listening on ", "") };
}

/**
 * CPU seconds of the living threads so far, to the nanosecond: ticks of 10 ms would be several per
 * cent of a burst. No thread of either service ends within one (tokio keeps those of its blocking
 * pool for 10 s).
 */
function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ns = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return ns.reduce((sum, one) => sum + one, 0) / 1e9;
}

function rssKiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

/** Requests per CPU second of one burst as fast as the service answers. */
function burst({ pid, origin }: Running, { path, args, requests }: Route): number {
  const before = cpuSeconds(pid);
  const output = execFileSync(
    "taskset",
    [
      ...["-c", String(GENERATOR_CPU), "oha", "--no-tui", "--output-format", "json"],
      ...["-n", String(requests), "-c", String(CONNECTIONS), ...args, `${origin}${path}`],
    ],
    { encoding: "utf8", cwd: scratch },
  );
  const { statusCodeDistribution } = JSON.parse(output);
  if (statusCodeDistribution["200"] !== requests) {
    throw new Error(`${path}: not every answer was 200: ${JSON.stringify(statusCodeDistribution)}`);
  }
  return requests / (cpuSeconds(pid) - before);
}

async function answerOf({ origin }: Running, { path, args }: Route): Promise<string> {
  const file = args.at(-1);
  const response = await fetch(`${origin}${path}`, {
    ...(file === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: readFileSync(file),
        }),
  });
  return (await response.text()).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

function quantile(values: readonly number[], probability: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(probability * (sorted.length - 1))] ?? Number.NaN;
}

let ok = true;
console.log(
  "| service | route | requests per CPU second | plain | share | of 31 pairs: median, middle half |\n|---|---|---|---|---|---|",
);
const idle: string[] = [];
for (const [name, program] of Object.entries(PROGRAMS)) {
  const cwd = join(services, name);
  for (const [tool, ...args] of program.build) execFileSync(tool, args, { cwd, stdio: "ignore" });
  const service = await start(join(cwd, program.service), program.env);
  const plain = await start(join(cwd, program.plain), program.env);
  await new Promise((resolve) => setTimeout(resolve, 300));
  idle.push(`${name} ${rssKiB(service.pid)} KiB, plain ${rssKiB(plain.pid)} KiB`);
  for (const route of ROUTES) {
    const [a, b] = [await answerOf(service, route), await answerOf(plain, route)];
    if (a !== b) throw new Error(`${name} ${route.name}: the two answer differently:\n${a}\n${b}`);
    burst(service, route);
    burst(plain, route);
    const pairs = Array.from({ length: TURNS }, (_, i): [number, number] => {
      const first = i % 2 === 0;
      const one = burst(first ? service : plain, route);
      const other = burst(first ? plain : service, route);
      return first ? [one, other] : [other, one];
    });
    const shares = pairs.map(([own, bare]) => own / bare);
    // What disturbs a burst only ever lengthens it, cold caches and stolen time included: the
    // quicker quarter is the program's own.
    const rate = (side: 0 | 1): number =>
      quantile(
        pairs.map((pair) => pair[side]),
        QUICK,
      );
    const share = rate(0) / rate(1);
    ok &&= share >= LEAST_SHARE;
    console.log(
      `| ${name} | ${route.name} | ${Math.round(rate(0))} | ${Math.round(rate(1))} | ${share.toFixed(2)} | ${quantile(shares, 0.5).toFixed(2)}, ${quantile(shares, 0.25).toFixed(2)} to ${quantile(shares, 0.75).toFixed(2)} |`,
    );
  }
  for (const { child } of [service, plain]) {
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  }
}
console.log(`\nRSS at rest: ${idle.join("; ")}`);
process.exitCode = ok ? 0 : 1;
