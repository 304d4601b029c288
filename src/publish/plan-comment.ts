// What to do about the one comment of a pull request: create, update or keep. Decides only; GitHub is asked elsewhere.
import type { CommentIdentity, CommentOrigin } from "./marker.ts";
import { isNewer, isSameGate, parseMarker } from "./marker.ts";

/**
 * `on-change`: the comment appears with the first result that is not a plain pass, and is kept up to date from then on.
 * `never`: comments are neither written nor touched.
 */
export const COMMENT_POLICIES = ["always", "on-change", "never"] as const;
export type CommentPolicy = (typeof COMMENT_POLICIES)[number];

/** What is looked at of a comment. */
export interface ExistingComment {
  id: number;
  body: string;
  /** Login. */
  author: string;
}

export interface DesiredComment {
  /** As renderComment or renderNotice made it. */
  body: string;
  identity: CommentIdentity;
  origin: CommentOrigin;
  /** Login under which we write: a marker in anybody else's comment is a quotation or a trap. */
  author: string;
  policy: CommentPolicy;
  /** See isPlainPass. */
  plainPass: boolean;
}

export type CommentPlan =
  | { kind: "create"; body: string; duplicates: number[] }
  | { kind: "update"; id: number; body: string; duplicates: number[] }
  | {
      kind: "keep";
      /** The comment that stays as it is; null: there is none. */
      id: number | null;
      reason: "policy-never" | "plain-pass" | "newer-result" | "unchanged";
      duplicates: number[];
    };

/** `duplicates` are further comments of ours for this gate, such as two jobs made at once: named, not touched. */
export function planComment(
  existing: readonly ExistingComment[],
  desired: DesiredComment,
): CommentPlan {
  const keep = (
    reason: Extract<CommentPlan, { kind: "keep" }>["reason"],
    id: number | null,
    duplicates: number[],
  ): CommentPlan => ({ kind: "keep", id, reason, duplicates });
  if (desired.policy === "never") return keep("policy-never", null, []);

  const ours = existing.flatMap(({ id, body, author }) => {
    const marker = parseMarker(body);
    const isOurs =
      marker !== null && author === desired.author && isSameGate(marker, desired.identity);
    return isOurs ? [{ id, body, marker }] : [];
  });
  const [current, ...others] = ours.sort(
    (a, b) =>
      Number(isNewer(b.marker, a.marker)) - Number(isNewer(a.marker, b.marker)) || b.id - a.id,
  );
  const duplicates = others.map(({ id }) => id);
  if (current === undefined) {
    return desired.policy === "on-change" && desired.plainPass
      ? keep("plain-pass", null, [])
      : { kind: "create", body: desired.body, duplicates };
  }
  if (isNewer(current.marker, desired.origin)) return keep("newer-result", current.id, duplicates);
  // GitHub may hand a text back with other line ends and without the last one.
  if (canonical(current.body) === canonical(desired.body)) {
    return keep("unchanged", current.id, duplicates);
  }
  return { kind: "update", id: current.id, body: desired.body, duplicates };
}

function canonical(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
