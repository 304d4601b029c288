// What kind of cost there is more of. Names come first: a latency that rose says what to look for
// only where no CPU rose to match, since on a busy machine a little CPU delays everything.
import { type Change, type Family, meanTotal, type Pair, rise, sum } from "./fold.ts";
import type { GateChange, MappingKind, Session, SyscallCounts, WaitKind } from "./model.ts";
import { type Named, testFamily } from "./name.ts";
import { redKinds, redOf } from "./red.ts";

export type WaitingFor = "timer" | "disk" | "service" | "unknown";

export type Cause =
  | { kind: "cpu" }
  | { kind: "waiting"; for: WaitingFor }
  | { kind: "memory"; mapping: MappingKind }
  | { kind: "start" };

/** Named CPU that accounts for less of what the gate measured is not why. */
const LEAST_SHARE = 0.25;
/** Looks at threads; system calls per request. */
const LEAST_WAIT = 0.02;
const LEAST_CALLS = 0.1;
const LEAST_SERVICE_CALLS = 0.2;
/** Of all CPU. Where waits are seen, less comes with them; with none, as much is why: it queues. */
const MUCH_CPU = 0.05;
/** Of resident memory, unless the gate found it red. */
const LEAST_MEMORY = 0.02;
const LEAST_MEMORY_BYTES = 256 * 1024;
/** Of a gate that is not told otherwise: without one, what would exceed its limit the most comes first. */
const USUAL_MARGINS = { requests: 0.1, memory: 0.05, start: 1 };
/** Of starts, log ratios. */
const LEAST_START = Math.log(1.2);
const LEAST_RED_START = Math.log(1.05);

/**
 * Causes by likelihood: what comes first is the answer, of what the gate found red. `cpuShare`: of
 * what it found red, the part that named CPU accounts for. Changes: what rose, most first.
 */
export function findCauses(session: Session, pairs: readonly Pair[], named: readonly Named[]) {
  const more = (family: Family): Change[] =>
    testFamily(pairs, family)
      .filter(({ isMore }) => isMore)
      .map(({ name, reference, candidate }) => ({ name, before: reference, after: candidate }))
      .toSorted((a, b) => rise(b) - rise(a));
  const waits = more("waits").filter((one) => rise(one) >= LEAST_WAIT);
  const mappings = more("mappings");
  /** Log ratios. */
  const totals = new Map(more("totals").map((one) => [one.name, rise(one)]));
  const calls = callsThatDiffer(session.syscalls);
  const red = redKinds(session.gate);
  const { before: cpuMs } = meanTotal(pairs, "cpuMs");
  const namedMs = sum(named.map(rise));
  // Of both as shares of before: the profiler makes everything slower, shares stay.
  const shareOf = (kind: GateChange["kind"]): number | null => {
    const change = redOf(session.gate, kind);
    return change && namedMs / cpuMs / (change.candidate / change.reference - 1);
  };
  const cpuShare = shareOf("cpu") ?? shareOf("latency");

  const causes: Cause[] = [];
  const [mapping] = mappings;
  const bytes = meanTotal(pairs, "bytes").before;
  const leastBytes = Math.max(LEAST_MEMORY * bytes, LEAST_MEMORY_BYTES);
  if (mapping !== undefined && (red.has("memory") || rise(mapping) >= leastBytes))
    causes.push({ kind: "memory", mapping: mapping.name as MappingKind });
  const slower = Math.max(totals.get("startMs") ?? 0, totals.get("startCpuMs") ?? 0);
  if (slower >= (red.has("start") ? LEAST_RED_START : LEAST_START)) causes.push({ kind: "start" });

  const isShare = (cpuShare ?? 1) >= LEAST_SHARE;
  const isOfLatency = (shareOf("latency") ?? 1) >= LEAST_SHARE;
  const isMuch = namedMs >= MUCH_CPU * cpuMs;
  // All CPU together may rise though no function can be told.
  const isTotal = named.length === 0 && (totals.get("cpuMs") ?? 0) >= Math.log1p(MUCH_CPU);
  const isCpu = isTotal || (named.length > 0 && (isShare || isMuch));
  const seen = waitingFor(waits, calls, session.own.kind === "go");
  const isSlower = totals.has("meanUs") || totals.has("p99Us");
  const waiting: Cause[] = seen === null ? [] : [{ kind: "waiting", for: seen }];
  const cpu: Cause[] = isCpu ? [{ kind: "cpu" }] : [];
  const isMain = isShare && isOfLatency && isMuch && seen !== "service";
  causes.push(...(isMain ? [...cpu, ...waiting] : [...waiting, ...cpu]));
  // Without CPU to match, and where the gate, if any, found the same.
  if (seen === null && !isCpu && isSlower && (session.gate.length === 0 || red.has("latency")))
    causes.push({ kind: "waiting", for: "unknown" });
  const latency = Math.max(totals.get("meanUs") ?? 0, totals.get("p99Us") ?? 0);
  const ofRequests = Math.max(namedMs / cpuMs, Math.expm1(latency)) / USUAL_MARGINS.requests;
  const sizes: Readonly<Record<Cause["kind"], number>> = {
    ...{ cpu: ofRequests, waiting: ofRequests, start: Math.expm1(slower) / USUAL_MARGINS.start },
    memory: mapping === undefined ? 0 : rise(mapping) / bytes / USUAL_MARGINS.memory,
  };
  if (session.gate.length === 0) causes.sort((a, b) => sizes[b.kind] - sizes[a.kind]);
  return { causes, cpuShare, waits, mappings, calls };
}

const SENDS = /^(?:write|writev|send|sendto|sendmsg|sendmmsg)$/;
const RECEIVES = /^(?:read|readv|recv|recvfrom|recvmsg|recvmmsg)$/;
/** Not of Go, whose runtime sleeps so whatever the program does. */
const SLEEPS = /^(?:clock_)?nanosleep$/;
const DISK = /^(?:fsync|fdatasync|sync_file_range|msync|openat|pread64|pwrite64)$/;

/**
 * Exact counts first; null: nothing waits that can be seen. What fell takes nothing from what rose: a
 * runtime that wakes its own threads less often writes less.
 */
function waitingFor(waits: readonly Change[], calls: readonly Change[], isGo: boolean) {
  const more = (kind: RegExp): number =>
    sum(calls.map((one) => (kind.test(one.name) ? Math.max(0, rise(one)) : 0)));
  const isSeen = (kind: WaitKind): boolean => waits.some(({ name }) => name === kind);
  if (Math.min(more(SENDS), more(RECEIVES)) >= LEAST_SERVICE_CALLS) return "service";
  if (more(DISK) >= LEAST_CALLS || isSeen("disk")) return "disk";
  const isAsleep = !isGo && more(SLEEPS) >= LEAST_CALLS;
  return isAsleep || isSeen("timer") || isSeen("sleep") ? "timer" : null;
}

/** Of a request, by how much they rose. */
function callsThatDiffer(counted: Session["syscalls"]): Change[] {
  if (counted === null) return [];
  const { reference: before, candidate: after } = counted;
  if (![before, after].every(({ calls }) => Object.keys(calls).length > 0)) return [];
  const of = ({ calls, requests }: SyscallCounts, name: string): number =>
    (calls[name] ?? 0) / Math.max(1, requests);
  return Object.keys({ ...before.calls, ...after.calls })
    .map((name) => ({ name, before: of(before, name), after: of(after, name) }))
    .filter((one) => Math.abs(rise(one)) >= LEAST_CALLS)
    .toSorted((a, b) => rise(b) - rise(a));
}
