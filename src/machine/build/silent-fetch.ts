// A partial clone gets from its remote what it lacks, and git waits for ever for one that accepts
// connections and says nothing: not even curl's settings end a TLS handshake. Slow is not silent, and
// a command that fetches nothing may take its time.
import { listOrEmpty, readOrEmpty } from "../sys/or-null.ts";

/** Looks until it is disposed of; `tell` hears of the remote that was silent for so long. */
export function watchFetch(
  group: number,
  patienceMs: number,
  tell: (remote: string) => void,
): Disposable {
  let before = "";
  let silent = 0;
  const timer = setInterval(() => {
    const now = lookAtFetch(group);
    silent = now !== null && now.bytes === before ? silent + 1 : 0;
    before = now?.bytes ?? "";
    if (now !== null && silent === LOOKS) tell(now.remote);
  }, patienceMs / LOOKS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** In the time of our patience. */
const LOOKS = 3;

/**
 * What the processes of a group have read and written in all: the kernel does not count what curl
 * reads, which git hands on as it comes, but for a first answer of a few hundred bytes. Null: none is git's fetch, what it
 * reads cannot be known, or one of them computes.
 */
function lookAtFetch(group: number): { remote: string; bytes: string } | null {
  let remote: string | undefined;
  let bytes = "";
  for (const pid of listOrEmpty("/proc")) {
    const [, state, its] = /.*\) (\w) \d+ (\d+)/s.exec(readOrEmpty(`/proc/${pid}/stat`)) ?? [];
    if (Number(its) !== group) continue;
    if (state === "R") return null;
    const [moved] = /rchar.*\nwchar.*/.exec(readOrEmpty(`/proc/${pid}/io`)) ?? [];
    const [, from] = /\0fetch\0([^\0]+)/.exec(readOrEmpty(`/proc/${pid}/cmdline`)) ?? [];
    if (from !== undefined && moved !== undefined) remote = from;
    bytes += `${pid} ${moved}\n`;
  }
  return remote === undefined ? null : { remote, bytes };
}
