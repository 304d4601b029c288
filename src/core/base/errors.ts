// The two kinds of failure that a person can be shown. Everything else that is thrown is a bug of
// ours.

/**
 * What ends a command early. The exit code follows from it and from nothing else:
 * `usage` (flags, configuration, files, git, builds) 2, `invalid` (the measurement broke) 3,
 * `interrupted` (a signal) 130.
 */
export type FailureKind = "usage" | "invalid" | "interrupted";

interface FailureText {
  /**
   * What the failing thing itself said: the tail of a build log, a parser's context. Shown
   * indented.
   */
  detail?: string;
  /** What to do next, an imperative sentence. */
  next?: string;
}

/**
 * A failure that was foreseen: `message` says in one line what happened, where, and what was
 * expected.
 */
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

/** One line of text for anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Throws on a bug of ours; never used on input. */
export function assertInvariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`${message}`);
}
