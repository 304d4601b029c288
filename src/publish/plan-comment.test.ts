// One comment of ours, whatever else is written under a pull request.
import { expect, test } from "vitest";
import { type CommentOrigin, isGateKey, parseMarker, renderMarker } from "./marker.ts";
import {
  type CommentPlan,
  type DesiredComment,
  type ExistingComment,
  planComment,
} from "./plan-comment.ts";

const IDENTITY = { repository: "acme/shop", key: "default" };
const HEAD = "9f1c2d3e4a5b6c7d8e9f0a1b2c3d4e5f60718293";
const US = "github-actions[bot]";

const origin = (runId: number, attempt = 1): CommentOrigin => ({ runId, attempt, headSha: HEAD });
const bodyOf = (from: CommentOrigin, text = "result", identity = IDENTITY): string =>
  `${renderMarker(identity, from)}\n${text}\n`;
const ours = (id: number, from: CommentOrigin, text?: string): ExistingComment => ({
  id,
  body: bodyOf(from, text),
  author: US,
});

function plan(existing: ExistingComment[], overrides: Partial<DesiredComment> = {}): CommentPlan {
  const at = overrides.origin ?? origin(10);
  return planComment(existing, {
    body: bodyOf(at, "new"),
    identity: IDENTITY,
    origin: at,
    author: US,
    policy: "always",
    plainPass: false,
    ...overrides,
  });
}

/** What is decided, without the text. */
function check(actual: CommentPlan, expected: string): void {
  const id = actual.kind === "create" ? "" : ` ${actual.id}`;
  const reason = actual.kind === "keep" ? ` ${actual.reason}` : "";
  const duplicates = actual.duplicates.length > 0 ? ` beside ${actual.duplicates.join()}` : "";
  expect(`${actual.kind}${id}${reason}${duplicates}`).toBe(expected);
}

test("none of ours", () => {
  check(plan([]), "create");
  check(plan([{ id: 1, body: "LGTM", author: "ann" }]), "create");
});

test("ours is updated", () => check(plan([ours(1, origin(9))]), "update 1"));

test("a marker in another's comment is nothing", () => {
  check(plan([{ ...ours(1, origin(9)), author: "mallory" }]), "create");
  check(plan([{ ...ours(1, origin(9)), author: "GitHub-Actions[bot]" }]), "create");
});

test("a marker that is not the first line is nothing", () => {
  const body = `> ${bodyOf(origin(9))}`;
  check(plan([{ id: 1, body, author: US }]), "create");
  check(plan([{ id: 1, body: `\n${bodyOf(origin(9))}`, author: US }]), "create");
});

test("another gate's comment, another repository's", () => {
  check(
    plan([{ id: 1, body: bodyOf(origin(9), "", { ...IDENTITY, key: "nightly" }), author: US }]),
    "create",
  );
  check(
    plan([{ id: 1, body: bodyOf(origin(9), "", { ...IDENTITY, key: "defaul" }), author: US }]),
    "create",
  );
  check(
    plan([
      { id: 1, body: bodyOf(origin(9), "", { ...IDENTITY, repository: "acme/shop2" }), author: US },
    ]),
    "create",
  );
  check(
    plan([
      { id: 1, body: bodyOf(origin(9), "", { ...IDENTITY, repository: "Acme/Shop" }), author: US },
    ]),
    "update 1",
  );
});

test("an older run never overwrites a newer result", () => {
  check(plan([ours(1, origin(11))]), "keep 1 newer-result");
  check(plan([ours(1, origin(11))], { origin: origin(10, 7) }), "keep 1 newer-result");
  check(plan([ours(1, origin(10, 2))], { origin: origin(10, 1) }), "keep 1 newer-result");
  check(plan([ours(1, origin(10, 1))], { origin: origin(10, 2) }), "update 1");
});

test("the same text is not sent again", () => {
  check(plan([ours(1, origin(10), "new")]), "keep 1 unchanged");
  const crlf = bodyOf(origin(10), "new").trimEnd().replaceAll("\n", "\r\n");
  check(plan([{ id: 1, body: crlf, author: US }]), "keep 1 unchanged");
});

test("of duplicates the newest result is edited, the rest are named", () => {
  const all = [ours(1, origin(7)), ours(2, origin(9)), ours(3, origin(8)), ours(4, origin(9))];
  check(plan(all), "update 4 beside 2,3,1");
  check(plan([...all, ours(5, origin(12))]), "keep 5 newer-result beside 4,2,3,1");
});

test("policies", () => {
  check(plan([ours(1, origin(9))], { policy: "never" }), "keep null policy-never");
  check(plan([], { policy: "on-change" }), "create");
  check(plan([], { policy: "on-change", plainPass: true }), "keep null plain-pass");
  check(plan([ours(1, origin(9))], { policy: "on-change", plainPass: true }), "update 1");
  check(plan([], { policy: "always", plainPass: true }), "create");
});

test("markers are read back, and nothing else is one", () => {
  const marker = renderMarker(IDENTITY, origin(10, 2));
  expect(parseMarker(`${marker}\r\nrest`)).toEqual({ ...IDENTITY, ...origin(10, 2) });
  for (const broken of [
    marker.slice(1),
    marker.replace("run=10", "run=-1"),
    marker.replace("run=10", "run=1e9"),
    `${marker} and more`,
    marker.replace("key=default", "key=a b"),
    marker.replace(" attempt=2", ""),
  ]) {
    expect(parseMarker(broken), broken).toBeNull();
  }
  expect(
    ["default", "nightly.2", "-", "", "a b", "x".repeat(65), "a>b", "ü"].map(isGateKey),
  ).toEqual([true, true, true, false, false, false, false, false]);
  expect(() => renderMarker({ ...IDENTITY, key: "-->" }, origin(1))).toThrow(/must be checked/);
});
