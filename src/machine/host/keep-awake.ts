// Keeps CPUs from halting while a run measures. A virtual CPU that has nothing to do is given back
// to the host, and on a busy host it comes back late: what a service and its generator then wait
// for is a neighbour. docs/adr/0011 has what that is worth.
import { closeSync, existsSync, openSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Finding, Fingerprint } from "../../core/model/host.ts";
import { listOrEmpty, orNull } from "../sys/or-null.ts";
import { spawnGroup } from "../sys/process.ts";
import { bad, good, note } from "./checks/check.ts";
import { type Occupants, type SlowStretch, SPIN } from "./core-speed.ts";

/** The kernel's file of requests for latency (PM QoS): a request lasts as long as it is held open. */
const DEVICE = "/dev/cpu_dma_latency";
/** Of the driver that acts on such requests. */
const IDLE_STATES = "/sys/devices/system/cpu/cpu0/cpuidle";

/** CPUs that do not halt. */
interface Awake extends Occupation {
  kept: NonNullable<Fingerprint["keptAwake"]>;
}

/** Why a machine does not keep its CPUs awake for us. */
interface Refusal {
  why: string;
  fix: string | null;
}

interface Circumstances {
  hasQuota: boolean;
  root?: string;
}

/**
 * Keeps CPUs awake until `release` or the end of this process, however it comes: by a request to the
 * kernel, which concerns all of the machine's; where it takes none, `cpus` are occupied. A finding:
 * neither can be had, and why. `hasQuota`: a control group counts our CPU time, which must not be
 * spent on waiting. `root`: as HostOptions.
 */
export async function keepAwake(
  cpus: readonly number[],
  { hasQuota, root = "" }: Circumstances,
): Promise<Awake | Finding> {
  const request = requestNoLatency(root);
  if (!("why" in request)) return { kept: true, pids: [], release: request.release };
  const chrt = findChrt(root);
  if (hasQuota || chrt === null) return halting(request, hasQuota ? QUOTA : NO_CHRT);
  const occupation = await occupyIdle(cpus, chrt);
  if (occupation === null) return halting(request, "processes of the lowest rank do not stay");
  return { kept: "occupied", ...occupation };
}

/** Asks for wake-ups within 0 µs: idle CPUs then wait in a loop instead of halting. */
function requestNoLatency(root: string): Pick<Awake, "release"> | Refusal {
  // Without a driver the request is taken and nothing follows from it.
  if (listOrEmpty(root + IDLE_STATES).length === 0) {
    return { why: "no cpuidle driver", fix: "sudo modprobe cpuidle_haltpoll force=1" };
  }
  let held: number | null = null;
  try {
    const file = openSync(root + DEVICE, "r+");
    held = file;
    writeSync(file, new Uint8Array(Int32Array.of(0).buffer));
    return { release: () => closeSync(file) };
  } catch (error) {
    if (held !== null) closeSync(held);
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT"
      ? { why: `no ${DEVICE}; a container must be given it: --device ${DEVICE}`, fix: null }
      : { why: `${DEVICE}: ${code}`, fix: `sudo chown "$USER" ${DEVICE}` };
  }
}

/** How CPUs can be kept awake here, and what it takes. Tries the request for a moment. */
export function checkHalting({ hasQuota, root = "" }: Circumstances): Finding {
  const request = requestNoLatency(root);
  if (!("why" in request)) {
    request.release();
    return { id: "halting", ...good("idle CPUs can be kept from halting while a run measures") };
  }
  if (hasQuota || findChrt(root) === null) return halting(request, hasQuota ? QUOTA : NO_CHRT);
  const text = `idle CPUs cannot be told to wait in a loop (${request.why}): while a run measures, a process of the lowest rank keeps each measured one from halting`;
  return { id: "halting", ...note(text, request.fix) };
}

const QUOTA = "a quota counts their time";
const NO_CHRT = "no chrt";

/** `obstacle`: why CPUs are not occupied either. */
const halting = ({ why, fix }: Refusal, obstacle: string): Finding => ({
  id: "halting",
  ...bad(
    `idle CPUs cannot be kept awake (${why}; nor be occupied: ${obstacle}): a busy host returns halted ones late, and that wait is inside latencies`,
    fix,
  ),
});

// Where the kernel takes no wish for wakefulness, a process of the lowest rank spins on each idle
// CPU, and gives way to whatever else wants to run. docs/adr/0011 says where it is second best.
interface Occupation extends Occupants {
  /** They are gone at some moment after it. */
  release(): void;
}

/** The one program that a shell lacks: it gives a process the scheduling class SCHED_IDLE. */
const CHRT_PLACES = ["/usr/bin/chrt", "/bin/chrt"] as const;

/** Path of chrt; null: not installed. `root`: as HostOptions. */
export const findChrt = (root = ""): string | null =>
  CHRT_PLACES.find((place) => existsSync(root + place)) ?? null;

/** Whoever is not root may change one session in 100 ms, on the whole machine. */
const AUTOGROUP_PAUSE_MS = 120;
const AUTOGROUP_ATTEMPTS = 5;
/** A busy machine may take seconds to start a process. */
const START_POLLS = 1000;
const POLL_MS = 10;

/** Null when a process does not stay: none is left then. */
export async function occupyIdle(
  cpus: readonly number[],
  chrt: string,
): Promise<Occupation | null> {
  const slow: SlowStretch[] = [];
  const spinners = cpus.map((cpu) =>
    spawnGroup([chrt, "-i", "0", process.execPath, "--single-threaded", "-e", SPIN, String(cpu)], {
      cpus: [cpu],
      // Options of ours that make Node print or wait are not meant for it.
      env: { ...process.env, NODE_OPTIONS: undefined },
      onStdoutLine: (line) => orNull(() => slow.push(JSON.parse(line))),
    }),
  );
  const release = (): void => {
    for (const spinner of spinners) spinner.signal("SIGKILL");
  };
  const pids = spinners.flatMap(({ pid }) => pid ?? []);
  for (const pid of pids) await lowerSession(pid);
  const live = (): boolean => spinners.every(({ exit }) => exit() === null);
  const told = (): boolean => cpus.every((cpu) => slow.some((one) => one.cpu === cpu));
  for (let poll = 0; poll < START_POLLS && live() && !told(); poll++) await sleep(POLL_MS);
  if (live() && told()) return { pids, slow, release };
  release();
  return null;
}

/**
 * Where the kernel shares CPUs among sessions before it looks at what is in them (autogroup), a
 * session of one spinner would have as much as the service's.
 */
async function lowerSession(pid: number): Promise<void> {
  for (let attempt = 1; attempt <= AUTOGROUP_ATTEMPTS; attempt++) {
    try {
      writeFileSync(`/proc/${pid}/autogroup`, "19");
      return;
    } catch (error) {
      // Anything else: no such file, and CPUs are shared among processes, whose class is enough.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await sleep(AUTOGROUP_PAUSE_MS);
    }
  }
}
