// A server for every transport that a service may have, with a certificate of its own, for tests.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createH2c, createSecureServer } from "node:http2";
import { createServer as createTls } from "node:https";
import type { AddressInfo, Server, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Address, RunningTransport } from "../../src/core/slice/load.ts";
import { runCommand } from "../../src/machine/sys/process.ts";

export const TRANSPORTS = [
  "http1",
  "http1-tls",
  "http1-socket",
  "h2c",
  "h2c-socket",
  "h2",
] as const;
export type TransportName = (typeof TRANSPORTS)[number];

export interface Certificate {
  ca: string;
  cert: string;
  key: string;
}

/** Files in `folder`: an authority, and what it signed for localhost. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const files = {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "cert.pem"),
    key: join(folder, "key.pem"),
  };
  if (existsSync(files.cert)) return files;
  const openssl = async (...words: string[]): Promise<void> => {
    const { code, tail } = await runCommand(["openssl", ...words], { cwd: folder });
    if (code !== 0) throw new Error(tail.join("\n"));
  };
  const keys = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  await openssl(
    "req",
    "-x509",
    ...keys,
    "-subj",
    "/CN=authority",
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
  );
  await openssl(
    ...[
      "req",
      "-x509",
      ...keys,
      "-subj",
      "/CN=localhost",
      "-keyout",
      "key.pem",
      "-out",
      "cert.pem",
    ],
    ...["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost"],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
  );
  return files;
}

/** Answers by `listener`; ends with the test. */
export async function serveOver(name: TransportName, listener: RequestListener): Promise<Address> {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-transport-"));
  const certificate = await makeCertificate(folder);
  const isTls = name === "h2" || name === "http1-tls";
  const socket = name.endsWith("-socket") ? join(folder, "socket") : null;
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
  const protocol = (name.split("-")[0] ?? "") as RunningTransport["protocol"];
  const port = socket === null ? (server.address() as AddressInfo).port : 1;
  const tls = isTls ? { ca: certificate.ca, name: "localhost" } : null;
  return name === "http1" ? { port } : { port, transport: { protocol, socket, tls } };
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
