// One GET to a service of ours on this machine; a page that cannot be had is null, since a scrape decides nothing.
import { get } from "node:http";

const TIMEOUT_MS = 2000;
const MAX_CHARS = 4 * 1024 * 1024;

export function fetchText(port: number, path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(
      { host: "127.0.0.1", port, path, agent: false, timeout: TIMEOUT_MS },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          text += chunk;
          if (text.length > MAX_CHARS) request.destroy();
        });
        response.on("end", () => resolve(response.statusCode === 200 ? text : null));
      },
    );
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(null));
    request.on("close", () => resolve(null));
  });
}
