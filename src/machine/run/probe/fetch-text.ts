// One GET to a service of ours on this machine; a page that cannot be had is null, since a scrape
// decides nothing.
import { get } from "node:http";

/** For the whole exchange: a page that trickles in must not hold up the round. */
const TIMEOUT_MS = 2000;
const MAX_CHARS = 4 * 1024 * 1024;

export function fetchText(port: number, path: string, abort: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const signal = AbortSignal.any([abort, AbortSignal.timeout(TIMEOUT_MS)]);
    const request = get({ host: "127.0.0.1", port, path, agent: false, signal }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_CHARS) request.destroy();
      });
      response.on("end", () => resolve(response.statusCode === 200 ? text : null));
      response.on("error", () => resolve(null));
    });
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
