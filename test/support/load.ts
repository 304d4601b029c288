// What tests of load generators share: a server in this process, and what a generator is asked for.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { availableParallelism } from "node:os";
import { onTestFinished } from "vitest";
import type { LoadRequest } from "../../src/core/slice/load.ts";
import { makeScenario } from "./samples.ts";

/** The port of a server that ends with the test. */
export async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((done) => server.once("listening", done));
  return (server.address() as AddressInfo).port;
}

export function makeLoad(asked: Partial<LoadRequest> & Pick<LoadRequest, "folder">): LoadRequest {
  return {
    scenario: makeScenario(),
    port: 8080,
    requests: 100,
    cpus: [availableParallelism() - 1],
    abort: new AbortController().signal,
    ...asked,
  };
}
