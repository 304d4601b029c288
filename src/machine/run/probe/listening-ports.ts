// Where a service's processes listen over TCP.
import { readlinkSync } from "node:fs";
import { type Listening, parseListening } from "../../host/parse-proc.ts";
import { listOrEmpty, orNull, readOrEmpty } from "../../sys/or-null.ts";
import { readProcessTree } from "./process-tree.ts";

/** By port, ascending. */
export function readListening(leader: number): Listening[] {
  const found = readProcessTree(leader).flatMap(({ pid }) => {
    const listening = parseListening(
      readOrEmpty(`/proc/${pid}/net/tcp`) + readOrEmpty(`/proc/${pid}/net/tcp6`),
    );
    return socketsOf(pid).flatMap((inode) => listening.get(inode) ?? []);
  });
  const known = new Map(found.map((one) => [placeOf(one), one]));
  return [...known.values()].sort((a, b) => a.port - b.port || (a.host < b.host ? -1 : 1));
}

export function portsOf(listening: readonly Listening[]): number[] {
  return [...new Set(listening.map(({ port }) => port))];
}

/** What a connection to 127.0.0.1 reaches. */
const REACHED = ["127.0.0.1", "0.0.0.0", "[::]", "[::ffff:7f00:1]"];

export function isReached(listening: readonly Listening[], wanted: number): boolean {
  return listening.some(({ host, port }) => port === wanted && REACHED.includes(host));
}

/** Inodes. */
function socketsOf(pid: number): string[] {
  return listOrEmpty(`/proc/${pid}/fd`).flatMap((fd) => {
    const opened = orNull(() => readlinkSync(`/proc/${pid}/fd/${fd}`));
    return /^socket:\[(\d+)\]$/.exec(opened ?? "")?.[1] ?? [];
  });
}

const placeOf = ({ host, port }: Listening): string => `${host}:${port}`;

/** For messages, after "it": what a service listens on. */
export function describeListening(listening: readonly Listening[]): string {
  if (listening.length === 0) return "listens on no port";
  return `listens on ${listening.map(placeOf).join(" and ")}`;
}
