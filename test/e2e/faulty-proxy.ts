// A TCP proxy in front of a real server, that can be down (refuses), hang (accepts and says
// nothing) or slow.

import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";

export type ProxyState = "up" | "down" | "hanging";

export class FaultyProxy {
  readonly port: number;
  readonly #target: { host: string; port: number };
  #server: Server | null;
  readonly #sockets = new Set<Socket>();
  #state: ProxyState = "up";

  private constructor(server: Server, target: { host: string; port: number }) {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.port = address.port;
    this.#server = server;
    this.#target = target;
    server.on("connection", (socket) => this.#accept(socket));
  }

  static async before(url: string): Promise<FaultyProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultyProxy(server, { host: hostname, port: Number(port) });
  }

  /** The same URL by way of the proxy. */
  url(of: string): string {
    const url = new URL(of);
    url.hostname = "127.0.0.1";
    url.port = String(this.port);
    return url.href.replace(/\/$/, "");
  }

  /** Ends what is connected, so that the new state is everybody's. */
  async become(state: ProxyState): Promise<void> {
    this.#state = state;
    for (const socket of this.#sockets) socket.destroy();
    if (state === "down") {
      this.#server?.close();
      this.#server = null;
    } else if (this.#server === null) {
      this.#server = createServer((socket) => this.#accept(socket)).listen(this.port, "127.0.0.1");
      await once(this.#server, "listening");
    }
  }

  async close(): Promise<void> {
    await this.become("down");
  }

  #accept(inner: Socket): void {
    this.#keep(inner);
    if (this.#state === "hanging") {
      inner.resume();
      return;
    }
    const outer = connect(this.#target);
    this.#keep(outer);
    inner.pipe(outer);
    outer.pipe(inner);
    inner.on("close", () => outer.destroy());
    outer.on("close", () => inner.destroy());
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }
}
