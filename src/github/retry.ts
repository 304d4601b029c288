// When a request is worth another attempt, and after how long. Values in, values out: no clock, no
// network; chance is handed in. The rules are GitHub's own ("Best practices for using the REST
// API", rate limits, 2022-11-28).

/** What an answer says besides its body. */
interface AnswerHead {
  status: number;
  headers: Headers;
  /** GitHub's `message`, "" where there is none: two refusals are told apart by nothing else. */
  message: string;
}

export type Trouble =
  /** Refused before anything was done: any request may be sent again after `waitMs`. */
  | { kind: "rate-limit"; which: "primary" | "secondary"; waitMs: number }
  /**
   * No usable answer; what the request asked for may have been done or not. `waitMs` is GitHub's
   * wish, 0 for none.
   */
  | { kind: "fault"; words: string; waitMs: number };

/**
 * Attempts at one request, the first included: waits of about 1, 2, 4, 8 and 16 s outlast a rolling
 * restart.
 */
export const MAX_ATTEMPTS = 6;
const FIRST_BACK_OFF_MS = 1000;
const MAX_BACK_OFF_MS = 30_000;
/** GitHub: without Retry-After wait for at least one minute, and longer each time. */
const SECONDARY_WAIT_MS = 60_000;
/** Reset times are whole seconds. */
const RESET_MARGIN_MS = 1000;

/**
 * What is wrong with an answer that another attempt could mend; null when it is final, success or
 * refusal. `wallMs` is used only where the answer has no Date of its own, so that a machine with a
 * wrong clock waits rightly. `attempt` counts from 1.
 */
export function troubleOf(head: AnswerHead, attempt: number, wallMs: number): Trouble | null {
  const { status, headers, message } = head;
  const askedMs = retryAfterMs(headers);
  if (status >= 500 && status !== 501) {
    return { kind: "fault", words: `HTTP ${status}`, waitMs: askedMs ?? 0 };
  }
  if (status === 408) return { kind: "fault", words: "HTTP 408", waitMs: 0 };
  if (status !== 403 && status !== 429) return null;
  if (askedMs !== null) return { kind: "rate-limit", which: "secondary", waitMs: askedMs };
  if (headers.get("x-ratelimit-remaining") === "0") {
    const nowMs = Date.parse(headers.get("date") ?? "");
    const resetMs = Number(headers.get("x-ratelimit-reset")) * 1000;
    const waitMs = resetMs - (Number.isNaN(nowMs) ? wallMs : nowMs) + RESET_MARGIN_MS;
    return { kind: "rate-limit", which: "primary", waitMs: Math.max(RESET_MARGIN_MS, waitMs) };
  }
  if (status === 429 || /secondary rate limit|abuse detection/i.test(message)) {
    return {
      kind: "rate-limit",
      which: "secondary",
      waitMs: SECONDARY_WAIT_MS * 2 ** (attempt - 1),
    };
  }
  return null;
}

/**
 * Exponential with jitter: between half and the whole of 1, 2, 4, … s, at most 30 s. `random` is in
 * [0, 1).
 */
export function backOffMs(attempt: number, random: number): number {
  const fullMs = Math.min(MAX_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (attempt - 1));
  return Math.round(fullMs * (0.5 + random / 2));
}

function retryAfterMs(headers: Headers): number | null {
  const text = headers.get("retry-after");
  return text !== null && /^\d+$/.test(text.trim()) ? Number(text) * 1000 : null;
}
