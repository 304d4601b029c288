// A server for every transport that a service may have, with a certificate of its own, for tests.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createH2c, createSecureServer } from "node:http2";
import { createServer as createTls } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Address } from "../../src/core/slice/load.ts";
import {
  addressOver,
  type Certificate,
  makeCertificate,
  socketIn,
  type TransportName,
} from "./transport-address.ts";

/** Answers by `listener`; ends with the test. */
export async function serveOver(name: TransportName, listener: RequestListener): Promise<Address> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-transport-"));
  const certificate = await makeCertificate(folder);
  const socket = socketIn(folder, name);
  const server = serverFor(name, certificate, listener);
  const sockets = new Set<Socket>();
  server.on("connection", (one: Socket) => {
    sockets.add(one);
    one.on("close", () => sockets.delete(one));
  });
  onTestFinished(() => {
    for (const one of sockets) one.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise<void>((done) => {
    if (socket === null) server.listen(0, "127.0.0.1", done);
    else server.listen(socket, done);
  });
  const port = socket === null ? (server.address() as AddressInfo).port : 1;
  return addressOver(name, { port, socket, ca: certificate.ca });
}

function serverFor(
  name: TransportName,
  { cert, key }: Certificate,
  listener: RequestListener,
): Server {
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  // The listener uses what the two kinds of requests and responses have in common.
  const both = listener as never;
  switch (name) {
    case "h2":
      return createSecureServer(tls, both);
    case "h2c":
    case "h2c-socket":
      return createH2c(both);
    case "http1-tls":
      return createTls(tls, listener);
    default:
      return createServer(listener);
  }
}
