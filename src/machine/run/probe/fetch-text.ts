// One GET to a service of ours on this machine; a page that cannot be had is null, since a scrape
// decides nothing.
import type { Address } from "../../../core/slice/load.ts";
import { exchange, readText } from "./exchange.ts";

/** For the whole exchange: a page that trickles in must not hold up the round. */
const TIMEOUT_MS = 2000;
const MAX_CHARS = 4 * 1024 * 1024;

export async function fetchText(
  address: Address,
  path: string,
  abort: AbortSignal,
): Promise<string | null> {
  const signal = AbortSignal.any([abort, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const { status, body } = await exchange(address, { method: "GET", path, signal });
    const text = await readText(body, MAX_CHARS);
    return status === 200 ? text : null;
  } catch {
    return null;
  }
}
