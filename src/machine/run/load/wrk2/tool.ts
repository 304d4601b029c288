// Finds wrk2: a program of that name, or one named wrk that is wrk2, as upstream calls what it
// builds.
import { isAbsolute } from "node:path";
import { UserError } from "../../../../core/base/errors.ts";
import { findPrograms } from "../../../sys/find-program.ts";
import { runCommand } from "../../../sys/process.ts";

interface Wrk2 {
  /** Absolute. */
  path: string;
  version: string;
}

const NAMES = ["wrk2", "wrk"] as const;
const VERSION_TIMEOUT_MS = 10_000;

/** The first that can be used, of all that are named wrk2 first. */
export async function findWrk2(pathVariable: string | undefined): Promise<Wrk2 | null> {
  for (const path of NAMES.flatMap((name) => findPrograms(name, pathVariable))) {
    if (!isAbsolute(path)) continue;
    const { stdout } = await runCommand([path, "--version"], { timeoutMs: VERSION_TIMEOUT_MS });
    const version = wrk2VersionIn(stdout);
    if (version !== null) return { path, version };
  }
  return null;
}

export async function requireWrk2(pathVariable: string | undefined): Promise<Wrk2> {
  const found = await findWrk2(pathVariable);
  if (found !== null) return found;
  throw new UserError("a scenario has generator: wrk2, and no wrk2 is on PATH", {
    next: "Build it from https://github.com/giltene/wrk2 (make, with OpenSSL's and zlib's headers) and put its program wrk on PATH under the name wrk2, or use generator: oha.",
  });
}

/**
 * It prints its version and then, as for a wrong command line, its options. Plain wrk has neither a
 * rate nor -U.
 */
export function wrk2VersionIn(printed: string): string | null {
  if (!printed.includes("--rate") || !printed.includes("--u_latency")) return null;
  return /^wrk (\S+) \[/m.exec(printed)?.[1] ?? null;
}
