// An HTTP proxy on loopback that tunnels by CONNECT. It looks no name up: whatever is asked for, one
// server answers, so that a test needs no name that exists.
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";

export interface TestProxy extends AsyncDisposable {
  /** `127.0.0.1:port` */
  host: string;
  /** What it was asked for, as `CONNECT name:port`, in order. */
  asked: string[];
  /** Every connection, whatever came over it. */
  connections(): number;
}

/** `refuses`: it wants another password. `hangs`: it accepts, and says nothing. */
export async function startProxy(
  target: { port: number },
  how: "tunnels" | "refuses" | "hangs" = "tunnels",
): Promise<TestProxy> {
  const asked: string[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(501).end();
  });
  server.on("connection", (socket) => {
    connections++;
    socket.on("error", () => socket.destroy());
  });
  server.on("connect", ({ url, headers }, socket) => {
    const given = Buffer.from(
      headers["proxy-authorization"]?.slice("Basic ".length) ?? "",
      "base64",
    );
    asked.push([`CONNECT ${url}`, ...(given.length > 0 ? [`as ${given}`] : [])].join(" "));
    if (how === "refuses") socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    if (how !== "tunnels") return;
    const inner = connect(target.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      inner.pipe(socket).pipe(inner);
    });
    inner.on("error", () => socket.destroy());
    inner.on("close", () => socket.destroy());
    socket.on("close", () => inner.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
