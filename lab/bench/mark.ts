// What the mark costs by which all that a service started is found (docs/adr/0035): forty launches of a
// small Node server each way, in turn. Nothing else may run meanwhile.
//
//   node lab/bench/mark.ts
//
// Prints a Markdown table of medians, and how many processes the machine had: the search reads them all.
import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { median } from "../../src/core/stats/dispersion.ts";
import { readUsage } from "../../src/machine/run/probe/service-probe.ts";
import { RunningService } from "../../src/machine/run/service/running-service.ts";
import { systemClock } from "../../src/machine/sys/clock.ts";
import { spawnGroup } from "../../src/machine/sys/process.ts";

const LAUNCHES = 40;
const REQUESTS = 300;
const CPUS = [availableParallelism() > 1 ? 1 : 0];
const SERVER = `
const server = require("node:http").createServer((_, response) => response.end("hello"));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;
const WAYS = { without: undefined, with: "with it" } as const;

async function launch(endsAll: (typeof WAYS)[keyof typeof WAYS]): Promise<number[]> {
  const startedMs = performance.now();
  const since = (ms: number): number => performance.now() - ms;
  const listening = Promise.withResolvers<number>();
  const child = spawnGroup([process.execPath, "--eval", SERVER], {
    endsAll,
    cpus: CPUS,
    onStdoutLine: (line) => listening.resolve(Number(line)),
  });
  const port = await listening.promise;
  const startMs = since(startedMs);
  const { pid } = child;
  if (pid === undefined) throw new Error("the server was not started");
  const stop = { signal: "SIGTERM", graceMs: 1000 } as const;
  const facts = { pid, port, values: null, startupMs: startMs, stop, clock: systemClock };
  const service = new RunningService(child, facts);
  await systemClock.sleep(100);
  const idle = readUsage(pid);
  const answers: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const sentMs = performance.now();
    await (await fetch(`http://127.0.0.1:${port}/`)).text();
    answers.push(since(sentMs));
  }
  await systemClock.sleep(100);
  const after = readUsage(pid);
  const freezeMs = performance.now();
  await service.freeze();
  const frozenMs = since(freezeMs);
  service.thaw();
  const killedMs = performance.now();
  child.signal("SIGKILL");
  await child.exited;
  const kib = (bytes: number): number => bytes / 1024;
  const memory = [kib(idle.rssBytes), kib(after.rssBytes)];
  return [startMs, ...memory, after.cpuMs, median(answers), frozenMs, since(killedMs)];
}

/** What `launch` gives, in its order. */
const ROWS = [
  ["from spawn to listening", "ms", 1],
  ["RSS idle", "KiB", 0],
  ["RSS after the requests", "KiB", 0],
  ["CPU", "ms", 1],
  ["latency of an answer", "ms", 3],
  ["freezing", "ms", 2],
  ["from SIGKILL until it is gone and looked for", "ms", 1],
] as const;

const seen = { without: [] as number[][], with: [] as number[][] };
// What is first read from the disk is no difference between the two.
for (const endsAll of Object.values(WAYS)) await launch(endsAll);
for (let i = 0; i < LAUNCHES; i++) {
  const first = i % 2 === 0 ? (["without", "with"] as const) : (["with", "without"] as const);
  for (const way of first) seen[way].push(await launch(WAYS[way]));
}
console.log("| | without | with |\n|---|---:|---:|");
for (const [i, [name, unit, digits]] of ROWS.entries()) {
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const cells = Object.values(seen).map((launches) => {
    const middle = median(launches.map((values) => values[i] ?? Number.NaN));
    return `${middle.toLocaleString("en", format)} ${unit}`;
  });
  console.log(`| ${[name, ...cells].join(" | ")} |`);
}
const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
console.log(`\n${LAUNCHES} launches each way; the machine had ${processes} processes.`);
