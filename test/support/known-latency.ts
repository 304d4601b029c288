// Starts the server of known latencies: built by Go into a folder that is removed with it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Address } from "../../src/core/slice/load.ts";
import { runCommand, spawnGroup } from "../../src/machine/sys/process.ts";
import { heldTable, type Profile } from "./known-latency-profiles.ts";
import {
  addressOver,
  isTls,
  makeCertificate,
  socketIn,
  type TransportName,
} from "./transport-address.ts";

export interface Floor {
  answers: number;
  /** Quantiles of how much later than due answers were written, microseconds. */
  p50: number;
  p90: number;
  p99: number;
  p999: number;
  max: number;
}

export interface KnownLatencyServer {
  address: Address;
  pid: number;
  /** Before each run: the table and the stalls start over. */
  begin(): Promise<void>;
  /** Of the answers since begin. */
  floor(): Promise<Floor>;
  stop(): Promise<void>;
}

/** Builds the program; the path is inside a new temporary folder. */
export async function buildKnownLatency(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-known-latency-"));
  const program = join(folder, "known-latency");
  const cwd = join(import.meta.dirname, "known-latency");
  const built = await runCommand(["go", "build", "-o", program, "."], { cwd });
  if (built.code !== 0) throw new Error(`go build: ${built.tail.join("\n")}`);
  return program;
}

/**
 * Requests of `/1` are held as the second profile says, of `/2` as the third, all others as the
 * first, whose stalls are the server's. `over`: served by Go's net/http; absent: by polling, over
 * HTTP/1.1.
 */
export async function startKnownLatency(
  program: string,
  profiles: readonly Profile[],
  options: { cpus: readonly number[]; seed: number; over?: TransportName },
): Promise<KnownLatencyServer> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-latencies-"));
  const tables = profiles.map((profile, i) => {
    const file = join(folder, `latencies-${i}`);
    writeFileSync(file, heldTable(profile, options.seed + i).join("\n"));
    return file;
  });
  const stall = profiles[0]?.stall ?? null;
  const stalls =
    stall === null ? [] : [`-stall-every=${stall.everyMs}ms`, `-stall=${stall.lengthMs}ms`];
  const { over = "http1" } = options;
  const { ca, cert, key } = await makeCertificate(folder);
  const socket = socketIn(folder, over);
  const transport = [
    ...(options.over === undefined ? [] : [`-over=${over.split("-")[0]}`]),
    ...(socket === null ? [] : [`-socket=${socket}`]),
    ...(isTls(over) ? [`-cert=${cert}`, `-key=${key}`] : []),
  ];
  const { promise: listening, resolve } = Promise.withResolvers<(string | undefined)[]>();
  const child = spawnGroup([program, "-latencies", tables.join(","), ...stalls, ...transport], {
    cpus: options.cpus,
    onStdoutLine: (line) => resolve(/^listening (\d+)(?: (\d+))?$/.exec(line)?.slice(1) ?? []),
  });
  const [control, load = control] = await Promise.race([listening, child.exited.then(() => [])]);
  if (child.pid === undefined || control === undefined) throw new Error(child.tail().join("\n"));
  const get = async (path: string): Promise<string> =>
    await (await fetch(`http://127.0.0.1:${control}${path}`)).text();
  return {
    address: addressOver(over, { port: Number(load), socket, ca }),
    pid: child.pid,
    begin: async () => void (await get("/begin")),
    floor: async () => JSON.parse(await get("/floor")) as Floor,
    stop: async () => {
      child.signal("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}
