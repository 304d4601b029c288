// The TCP ports that a service's processes listen on.
import { readlinkSync } from "node:fs";
import { parseListening } from "../../host/parse-proc.ts";
import { listOrEmpty, readOrEmpty } from "../../sys/files.ts";
import { readProcessTree } from "./process-tree.ts";

/** Ascending. */
export function readListeningPorts(leader: number): number[] {
  const ports = readProcessTree(leader).flatMap(({ pid }) => {
    const listening = parseListening(
      readOrEmpty(`/proc/${pid}/net/tcp`) + readOrEmpty(`/proc/${pid}/net/tcp6`),
    );
    return socketsOf(pid).flatMap((inode) => listening.get(inode) ?? []);
  });
  return [...new Set(ports)].sort((a, b) => a - b);
}

/** Inodes. A process or a file of it may be gone between two reads. */
function socketsOf(pid: number): string[] {
  return listOrEmpty(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

/** For messages, after "it": what a service listens on. */
export function describeListening(ports: readonly number[]): string {
  if (ports.length === 0) return "listens on no port";
  return `listens on port ${ports.join(" and ")}`;
}
