// What the kernel lets perf record here, and the line that would permit more.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../../src/core/model/host.ts";
import { plainLine } from "../../../src/core/text/escape.ts";
import { type Ended, NOT_FOUND, readOrEmpty } from "./beside.ts";

/** Why, and the line that would permit it. */
export interface Refused {
  why: string;
  next: string;
}

/** What the kernel says of us. */
export interface Permission {
  /** perf_event_paranoid; NaN: unknown. */
  paranoid: number;
  /** CAP_SYS_ADMIN or CAP_PERFMON: may record all, whatever the other says. */
  isCapable: boolean;
  /** A seccomp filter looks at each system call, as in a container. */
  isFiltered: boolean;
}

const CAPABILITIES = (1n << 21n) | (1n << 38n);
/** Of Debian's and Ubuntu's kernels: from here on they permit others nothing. */
const PERMITS_NOTHING = 3;

export function readPermission(): Permission {
  const status = readOrEmpty("/proc/self/status");
  const [, held = "0"] = /^CapEff:\s+([0-9a-f]+)$/m.exec(status) ?? [];
  const paranoid = readOrEmpty("/proc/sys/kernel/perf_event_paranoid").trim();
  return {
    paranoid: Number(paranoid || Number.NaN),
    isCapable: (BigInt(`0x${held}`) & CAPABILITIES) !== 0n,
    isFiltered: /^Seccomp:\s+2$/m.test(status),
  };
}

export const maySeeKernel = ({ isCapable, paranoid }: Permission): boolean =>
  isCapable || paranoid <= 1;

const INSTALL = /^ID(?:_LIKE)?=.*ubuntu/m.test(readOrEmpty("/etc/os-release"))
  ? "sudo apt-get install linux-tools-generic linux-tools-$(uname -r)"
  : "sudo apt-get install linux-perf";

const MISSING: Refused = { why: "perf is not installed", next: INSTALL };

export function whyRefused({ code, said }: Ended, permission: Permission): Refused {
  if (code === NOT_FOUND) return MISSING;
  const why = `perf record fails: ${plainLine(said) || "without a word"}`;
  return refusedBy(permission) ?? { why, next: INSTALL };
}

function refusedBy({ paranoid, isCapable, isFiltered }: Permission): Refused | null {
  // Whoever may record all is let through by a container's filter, too.
  if (isCapable) return null;
  if (paranoid >= PERMITS_NOTHING) {
    const why = `the kernel permits no profiles (perf_event_paranoid is ${paranoid})`;
    return { why, next: "sudo sysctl kernel.perf_event_paranoid=2" };
  }
  if (!isFiltered) return null;
  const why = "the container refuses perf_event_open, by its seccomp profile";
  return { why, next: "docker run --cap-add PERFMON …" };
}

/** For `doctor`, before anything is tried. `path`: where programs are. */
export function checkPerf(path = "", permission = readPermission()): Finding {
  const isThere = path.split(":").some((folder) => existsSync(join(folder, "perf")));
  const refused = isThere ? refusedBy(permission) : MISSING;
  const note = { id: "perf", level: "note" } as const;
  if (refused !== null) {
    const { why, next } = refused;
    const isCommand = next.startsWith("sudo ");
    const text = `tailgate explain can name no function: ${why}${isCommand ? "" : `; ${next}`}`;
    return { ...note, text, fix: isCommand ? next : null };
  }
  if (maySeeKernel(permission))
    return { ...note, level: "good", text: "perf may record services and the kernel", fix: null };
  const text = `tailgate explain sees no CPU time of the kernel (perf_event_paranoid is ${permission.paranoid})`;
  return { ...note, text, fix: "sudo sysctl kernel.perf_event_paranoid=1" };
}
