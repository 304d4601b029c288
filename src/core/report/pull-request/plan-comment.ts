// What to do about the one comment of a pull request: create, update or keep.
import { markdownCode } from "../../text/escape.ts";
import { linkLine } from "../kit/markdown.ts";
import { shortCommit } from "../provenance.ts";
import type { CommentIdentity, CommentOrigin, Marker } from "./marker.ts";
import { isNewer, isSameGate, parseMarker, renderMarker } from "./marker.ts";

/**
 * `on-change`: from the first result that is not a plain pass on. `never`: comments are not
 * touched.
 */
export const COMMENT_POLICIES = ["always", "on-change", "never"] as const;
type CommentPolicy = (typeof COMMENT_POLICIES)[number];

/** What is looked at of a comment. */
export interface ExistingComment {
  id: number;
  body: string;
  author: string;
}

export interface DesiredComment {
  body: string;
  identity: CommentIdentity;
  origin: CommentOrigin;
  /** Login under which we write; a marker in another's comment does not count. */
  author: string;
  policy: CommentPolicy;
  plainPass: boolean;
}

export type CommentPlan =
  | { kind: "create"; body: string }
  /** `doubles`: other comments of this gate, which say less. */
  | { kind: "update"; id: number; body: string; doubles: number[] }
  | {
      kind: "keep";
      /** The comment that stays as it is; null: there is none. */
      id: number | null;
      reason: "policy-never" | "plain-pass" | "newer-result" | "unchanged";
    };

interface Ours {
  id: number;
  body: string;
  marker: Marker;
}

/** The comments of this gate, the one of the newest result first. */
function oursOf(
  existing: readonly ExistingComment[],
  { author, identity }: Pick<DesiredComment, "author" | "identity">,
): Ours[] {
  return existing
    .flatMap((one) => {
      const marker = parseMarker(one.body);
      const isOurs = marker !== null && one.author === author && isSameGate(marker, identity);
      return isOurs ? [{ id: one.id, body: one.body, marker }] : [];
    })
    .sort(
      (a, b) =>
        Number(isNewer(b.marker, a.marker)) - Number(isNewer(a.marker, b.marker)) || b.id - a.id,
    );
}

export function planComment(
  existing: readonly ExistingComment[],
  desired: DesiredComment,
): CommentPlan {
  const keep = (
    reason: Extract<CommentPlan, { kind: "keep" }>["reason"],
    id: number | null,
  ): CommentPlan => ({ kind: "keep", id, reason });
  if (desired.policy === "never") return keep("policy-never", null);

  const [current, ...others] = oursOf(existing, desired);
  if (current === undefined) {
    return desired.policy === "on-change" && desired.plainPass
      ? keep("plain-pass", null)
      : { kind: "create", body: desired.body };
  }
  const { id } = current;
  const body = bodyOver(current, desired);
  if (body === null) return keep("newer-result", id);
  // GitHub may change line ends.
  if (canonical(current.body) === canonical(body)) return keep("unchanged", id);
  return { kind: "update", id, body, doubles: others.map((one) => one.id) };
}

/** Our result, below the line of a newer run that has begun. Null: the present one is newer. */
function bodyOver({ body, marker }: Ours, desired: DesiredComment): string | null {
  const { identity, origin } = desired;
  const { begun } = marker;
  if (isNewer(marker, origin)) return null;
  if (begun === null || !isNewer(begun, origin) || begun.headSha === origin.headSha) {
    return desired.body;
  }
  // Pushed back to a commit whose result is this one.
  if (begun.headSha === marker.headSha) return null;
  const [, line = ""] = canonical(body).split("\n");
  return withMark(desired.body, renderMarker(identity, origin, begun), line);
}

/**
 * Two first results at once make two comments: the later is removed, the earlier brought up to
 * date. Null: there is one.
 */
export function planDouble(
  existing: readonly ExistingComment[],
  created: { id: number },
  desired: DesiredComment,
): { remove: number; kept: number; body: string | null } | null {
  const first = oursOf(existing, desired).toSorted((a, b) => a.id - b.id)[0];
  if (first === undefined || first.id >= created.id) return null;
  const body = isNewer(desired.origin, first.marker) ? bodyOver(first, desired) : null;
  return { remove: created.id, kept: first.id, body };
}

const OUTDATED = "> ⏳ ";

/**
 * The comment of an earlier commit, with a line that a newer one is being measured, or was and
 * never answered. Null: no comment, or a newer run wrote it.
 */
export function planBegun(
  existing: readonly ExistingComment[],
  desired: Pick<DesiredComment, "author" | "identity" | "origin">,
  { runUrl, askedAt }: { runUrl: string; askedAt: string },
): { id: number; body: string } | null {
  const { identity, origin } = desired;
  const [current] = oursOf(existing, desired);
  if (current === undefined) return null;
  const { marker, id, body } = current;
  if (!isNewer(origin, marker.begun ?? marker) || marker.runId === origin.runId) return null;
  const link = linkLine([{ label: "This run", url: runUrl }]);
  const [day = "", time = ""] = askedAt.split("T");
  const line =
    marker.headSha === origin.headSha
      ? null
      : `${OUTDATED}**Commit ${markdownCode(shortCommit(origin.headSha))} has no verdict yet.** ${link} measures it, since ${day} ${time.slice(0, 5)} UTC; if it has ended, it was cancelled or lost its runner and never answered: run it again. What follows is of an earlier commit.`;
  return { id, body: withMark(body, renderMarker(identity, marker, origin), line) };
}

/** `line`: what stands first; null: nothing but the result. */
function withMark(body: string, marker: string, line: string | null): string {
  const [, ...rest] = canonical(body).split("\n");
  // Lines of runs in between.
  while (rest[0]?.startsWith(OUTDATED)) rest.splice(0, 2);
  return `${[marker, ...(line === null ? [] : [line, ""]), ...rest].join("\n")}\n`;
}

function canonical(body: string): string {
  return body.replaceAll("\r\n", "\n").trimEnd();
}
