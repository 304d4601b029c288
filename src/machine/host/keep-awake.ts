// Keeps CPUs from halting while a run measures. A virtual CPU that has nothing to do is given back
// to the host, and on a busy host it comes back late: what a service and its generator then wait
// for is a neighbour. docs/adr/0011 has what that is worth.
import { closeSync, openSync, writeSync } from "node:fs";
import type { Finding, Fingerprint } from "../../core/model/host.ts";
import { listOrEmpty } from "../sys/files.ts";
import { bad, good, note } from "./checks/check.ts";
import { findChrt, occupyIdle } from "./occupy.ts";

/** The kernel's file of requests for latency (PM QoS): a request lasts as long as it is held open. */
const DEVICE = "/dev/cpu_dma_latency";
/** Of the driver that acts on such requests. */
const IDLE_STATES = "/sys/devices/system/cpu/cpu0/cpuidle";

/** CPUs that do not halt. */
interface Awake {
  kept: NonNullable<Fingerprint["keptAwake"]>;
  /**
   * Processes that occupy idle CPUs, whose time is idle time; none where the kernel took the request.
   */
  occupants: readonly number[];
  release(): void;
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
  if (!("why" in request)) return { kept: true, occupants: [], release: request.release };
  const chrt = findChrt(root);
  if (hasQuota || chrt === null) return halting(request, hasQuota ? QUOTA : NO_CHRT);
  const occupation = await occupyIdle(cpus, chrt);
  if (occupation === null) return halting(request, "processes of the lowest rank do not stay");
  return { kept: "occupied", occupants: occupation.pids, release: occupation.release };
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
