// Failures that a person is shown; everything else that is thrown is a bug.

/**
 * What ends a command early, and its exit code: `usage` 2, `invalid` (the measurement broke) 3,
 * `interrupted` 130.
 */
export type FailureKind = "usage" | "invalid" | "interrupted";

interface FailureText {
  /** Output of what failed: the tail of a build log, a parser's context. */
  detail?: string;
  next?: string;
}

/** A foreseen failure: `message` says what happened, where, and what was expected. */
export class UserError extends Error {
  readonly kind: FailureKind;
  readonly detail: string | undefined;
  readonly next: string | undefined;

  constructor(
    message: string,
    text: FailureText = {},
    kind: FailureKind = "usage",
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "UserError";
    this.kind = kind;
    this.detail = text.detail;
    this.next = text.next;
  }
}

/** Where a signal came before anything was measured. */
export function throwIfStopped(abort: AbortSignal): void {
  if (abort.aborted) {
    throw new UserError("stopped by a signal before anything was measured", {}, "interrupted");
  }
}

/** Does it, and returns the foreseen failure that ended it; null: there was none. */
export async function failureIn(work: () => Promise<void>): Promise<UserError | null> {
  try {
    await work();
    return null;
  } catch (thrown) {
    if (thrown instanceof UserError) return thrown;
    throw thrown;
  }
}

/** One line of text for anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Throws on a bug of ours; never used on input. */
export function assertInvariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`${message}`);
}
