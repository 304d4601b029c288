// A file that anybody may have, asked for once, by the way that the environment names.
import { throwIfStopped, UserError } from "../../core/base/errors.ts";
import { attempt } from "./attempt.ts";
import { adviceOn, openRoute } from "./route.ts";

const PLAIN = { method: "GET", body: null, redirect: "follow" } as const;

/** Throws a UserError where it is not had whole. */
export async function fetchFile(
  wire: { url: string; maxBytes: number; timeoutMs: number; abort: AbortSignal },
  env: NodeJS.ProcessEnv,
): Promise<Uint8Array> {
  const route = openRoute(wire.url, env);
  const headers = { "user-agent": "tailgate" };
  const got = await attempt({ ...PLAIN, ...wire, headers }, fetch);
  if (got.kind === "answer" && got.status === 200) return got.bytes;
  throwIfStopped(wire.abort);
  if (got.kind === "lost") {
    const next = adviceOn(route, got.code);
    throw new UserError(`${wire.url}: ${got.words}; ${route.seen}`, { next });
  }
  const why = got.kind === "answer" ? `HTTP ${got.status}` : `more than ${wire.maxBytes} bytes`;
  throw new UserError(`${wire.url}: ${why}`);
}
