// A comment's hidden first line: whose it is, of which gate, and how new. Only the first line
// counts.
import { assertInvariant } from "../../base/errors.ts";

export interface CommentIdentity {
  /** `owner/name` of the repository that the gate belongs to. */
  repository: string;
  /** Name of the gate; several configurations have several comments. See isGateKey. */
  key: string;
}

/** All of it from the event or the API, never from an artifact. */
export interface CommentOrigin {
  /** Workflow run that the result is of; later runs have larger ids. */
  runId: number;
  /** 1 for the first attempt, more after a re-run. */
  attempt: number;
  headSha: string;
}

export interface Marker extends CommentIdentity, CommentOrigin {
  /** A newer run that has begun and has no result yet; null: none is known. */
  begun: CommentOrigin | null;
}

export function isGateKey(key: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(key);
}

export function renderMarker(
  identity: CommentIdentity,
  origin: CommentOrigin,
  begun: CommentOrigin | null = null,
): string {
  const next = begun === null ? "" : ` begun=${begun.runId}/${begun.attempt}/${begun.headSha}`;
  const marker = `<!-- tailgate:comment repo=${identity.repository} key=${identity.key} run=${origin.runId} attempt=${origin.attempt} head=${origin.headSha}${next} -->`;
  assertInvariant(isGateKey(identity.key), "the name of a gate must be checked where it is given");
  assertInvariant(parseMarker(marker) !== null, `not a marker: ${JSON.stringify(marker)}`);
  return marker;
}

const MARKER =
  /^<!-- tailgate:comment repo=([\w.-]+\/[\w.-]+) key=([\w.-]{1,64}) run=(\d{1,15}) attempt=(\d{1,6}) head=([0-9a-f]{7,64})(?: begun=(\d{1,15})\/(\d{1,6})\/([0-9a-f]{7,64}))? -->(?:\r?\n|$)/;

/** Of a comment's whole text; null where it does not begin with a marker. */
export function parseMarker(body: string): Marker | null {
  const [, repository = "", key = "", ...rest] = MARKER.exec(body) ?? [];
  const [origin, begun] = [originOf(rest.slice(0, 3)), originOf(rest.slice(3))];
  return origin === null ? null : { repository, key, ...origin, begun };
}

function originOf([run, attempt, headSha = ""]: readonly (string | undefined)[]) {
  return run === undefined ? null : { runId: Number(run), attempt: Number(attempt), headSha };
}

/** Names of repositories know no case. */
export function isSameGate(a: CommentIdentity, b: CommentIdentity): boolean {
  return a.repository.toLowerCase() === b.repository.toLowerCase() && a.key === b.key;
}

/** A re-run of an older run is older than a newer run, whatever the clock says: its code is. */
export function isNewer(a: CommentOrigin, b: CommentOrigin): boolean {
  return a.runId !== b.runId ? a.runId > b.runId : a.attempt > b.attempt;
}
