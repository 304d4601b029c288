// What wrk2 says of a server that answers at once: below that, its latencies are its own. A short
// run before anything is measured.
import { createServer } from "node:net";
import type { Scenario } from "../../../../core/model/config.ts";
import type { Finding } from "../../../../core/model/host.ts";
import type { LoadGenerator } from "../../../../core/slice/load.ts";
import { quantile, sortSample } from "../../../../core/stats/quantile.ts";
import { note } from "../../../host/checks/check.ts";
import { makeTemporaryFolder } from "../../../sys/files.ts";
import { janitor } from "../../../sys/janitor.ts";
import { expandCounts } from "./parse-report.ts";

/** Few connections at a low rate: nothing waits for anything but the clock. */
const PROBE: Scenario = {
  id: "floor",
  service: "floor",
  name: "floor",
  request: { method: "GET", path: "/", pathIsPattern: false, headers: {}, body: null },
  expectStatus: 200,
  rateRps: 400,
  connections: 4,
  keepAlive: true,
  requestTimeoutMs: 5000,
  warmupRequests: 0,
  slice: { durationMs: 2000, pairs: 1 },
  generator: "wrk2",
  metrics: [],
};
const ANSWER = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

interface Wrk2Floor {
  /** Latencies as wrk2 corrects them. */
  p50Us: number;
  p99Us: number;
  /** The same requests from when they were written: the exchange without wrk2's timers. */
  sinceSendP99Us: number;
  slackUs: number;
}

/** Null when the probe failed or was stopped: the floor is then unknown, and the run goes on. */
export async function probeWrk2Floor(
  wrk2: LoadGenerator,
  { cpus, abort }: { cpus: readonly number[]; abort: AbortSignal },
): Promise<Wrk2Floor | null> {
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("data", () => socket.write(ANSWER));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = makeTemporaryFolder();
  try {
    const requests = (PROBE.rateRps * PROBE.slice.durationMs) / 1000;
    const load = await wrk2.run({ scenario: PROBE, port, requests, cpus, folder, abort });
    if (load.kind !== "distribution" || load.latencies.length === 0) return null;
    const latencies = sortSample(load.latencies);
    const p99Us = quantile(latencies, 0.99);
    const sinceSendP99Us = quantile(sortSample(expandCounts(load.sinceSend)), 0.99);
    return { p50Us: quantile(latencies, 0.5), p99Us, sinceSendP99Us, slackUs: load.slackUs };
  } finally {
    server.close();
    janitor.removePath(folder);
  }
}

export function describeWrk2Floor(name: string, floor: Wrk2Floor): Finding {
  const ms = (us: number): string => `${(us / 1000).toFixed(2)} ms`;
  const text = `${name} keeps time in milliseconds: of a server that answers within ${ms(floor.sinceSendP99Us)} at its 99th percentile it measures p50 ${ms(floor.p50Us)} and p99 ${ms(floor.p99Us)}, ${ms(floor.slackUs)} of the mean its own. A service near that is measured better by oha`;
  return { id: "wrk2-floor", ...note(text, "generator: oha") };
}
