// Keeps CPUs from halting while a run measures. A virtual CPU that has nothing to do is given back to the host, and on a busy
// host it comes back late: what a service and its generator then wait for is a neighbour. docs/adr/0011 has what that is worth.
import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import type { Finding } from "../../model/host.ts";
import { bad, good } from "./check.ts";

/** The kernel's file of wishes for latency (PM QoS): a wish lasts as long as it is held open. */
const DEVICE = "/dev/cpu_dma_latency";
/** Of the driver that acts on such wishes. */
const IDLE_STATES = "/sys/devices/system/cpu/cpu0/cpuidle";

/** A wish that is held. */
export interface Awake {
  release(): void;
}

/** Why a machine does not keep its CPUs awake for us. */
interface Refusal {
  why: string;
  fix: string | null;
}

/**
 * Asks for wake-ups within 0 µs: idle CPUs then wait in a loop instead of halting, all of the machine, until `release` or the end
 * of this process, however it comes. `root`: as HostOptions.
 */
export function keepAwake(root = ""): Awake | Refusal {
  // Without a driver the wish is taken and nothing follows from it.
  if (!hasDriver(root)) {
    return { why: "no cpuidle driver", fix: "sudo modprobe cpuidle_haltpoll force=1" };
  }
  let file: number | null = null;
  try {
    const held = openSync(root + DEVICE, "r+");
    file = held;
    writeSync(held, new Uint8Array(Int32Array.of(0).buffer));
    return { release: () => closeSync(held) };
  } catch (error) {
    if (file !== null) closeSync(file);
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT"
      ? { why: `no ${DEVICE}; a container must be given it: --device ${DEVICE}`, fix: null }
      : { why: `${DEVICE}: ${code}`, fix: `sudo chown "$USER" ${DEVICE}` };
  }
}

/** Whether CPUs can be kept awake here, and what it takes. Tries it for a moment. */
export function checkHalting(root = ""): Finding {
  const awake = keepAwake(root);
  if ("why" in awake) {
    const { why, fix } = awake;
    return bad(
      "halting",
      `idle CPUs cannot be kept awake (${why}): a busy host returns halted ones late, and that wait is inside latencies`,
      fix,
    );
  }
  awake.release();
  return good("halting", "idle CPUs can be kept from halting while a run measures");
}

function hasDriver(root: string): boolean {
  try {
    return readdirSync(root + IDLE_STATES).length > 0;
  } catch {
    return false;
  }
}
