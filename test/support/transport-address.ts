// Each transport that a service may have: its name, its address, and a certificate for it.
import { existsSync } from "node:fs";
import { join } from "node:path";
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

/** Files in `folder`: an authority, and what it signed for `host`. */
export async function makeCertificate(folder: string, host = "localhost"): Promise<Certificate> {
  const files = {
    ca: join(folder, "ca.pem"),
    cert: join(folder, "cert.pem"),
    key: join(folder, "key.pem"),
  };
  if (existsSync(files.cert)) return files;
  const sign = async (name: string, more: string): Promise<void> => {
    const ec = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    const words = `openssl req -x509 ${ec} -subj /CN=${name} ${more}`.split(" ");
    const { code, tail } = await runCommand(words, { cwd: folder });
    if (code !== 0) throw new Error(tail.join("\n"));
  };
  await sign("authority", "-keyout ca.key -out ca.pem");
  await sign(
    host,
    `-keyout key.pem -out cert.pem -CA ca.pem -CAkey ca.key -addext subjectAltName=DNS:${host} -addext basicConstraints=critical,CA:FALSE`,
  );
  return files;
}

/** What it has of its files. `port` counts where it has no socket. */
export function addressOver(
  name: TransportName,
  { port, socket, ca }: { port: number; socket: string | null; ca: string },
): Address {
  if (name === "http1") return { port };
  const protocol = (name.split("-")[0] ?? "") as RunningTransport["protocol"];
  return {
    port,
    transport: { protocol, socket, tls: isTls(name) ? { ca, name: "localhost" } : null },
  };
}

export const isTls = (name: TransportName): boolean => name === "h2" || name === "http1-tls";

export const socketIn = (folder: string, name: TransportName): string | null =>
  name.endsWith("-socket") ? join(folder, "socket") : null;
