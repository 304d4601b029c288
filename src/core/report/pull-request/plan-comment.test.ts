// One comment of ours, whatever else is written under a pull request.
import { expect, test } from "vitest";
import { type CommentOrigin, isGateKey, parseMarker, renderMarker } from "./marker.ts";
import {
  type CommentPlan,
  type DesiredComment,
  type ExistingComment,
  planComment,
  planDouble,
  planOutdated,
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
  expect(`${actual.kind}${id}${reason}`).toBe(expected);
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

test("of several comments the one with the newest result is edited", () => {
  const all = [ours(1, origin(7)), ours(2, origin(9)), ours(3, origin(8)), ours(4, origin(9))];
  check(plan(all), "update 4");
  check(plan([...all, ours(5, origin(12))]), "keep 5 newer-result");
});

test("other comments of this gate are doubles, and go", () => {
  const all = [ours(1, origin(7)), ours(2, origin(9)), ours(3, origin(8))];
  expect(plan(all)).toMatchObject({ kind: "update", id: 2, doubles: [3, 1] });
  expect(plan(all.slice(0, 1))).toMatchObject({ doubles: [] });
});

test.each<[string, ExistingComment[], ReturnType<typeof planDouble>]>([
  ["alone", [ours(5, origin(10))], null],
  ["the first of two", [ours(5, origin(10)), ours(6, origin(11))], null],
  ["the second, of an older run", [ours(4, origin(11)), ours(5, origin(10))], keptAs(null)],
  ["the second, of a newer run", [ours(4, origin(9)), ours(5, origin(10))], keptAs("new body")],
  ["beside another's", [{ ...ours(4, origin(9)), author: "ann" }, ours(5, origin(10))], null],
])("a first comment that turns out to be %s", (_, existing, expected) => {
  const created = {
    body: "new body",
    identity: IDENTITY,
    origin: origin(10),
    author: US,
    policy: "always",
    plainPass: false,
  } as const;
  expect(planDouble(existing, { id: 5 }, created)).toEqual(expected);
});

function keptAs(body: string | null): ReturnType<typeof planDouble> {
  return { remove: 5, kept: 4, body };
}

test("an earlier commit's comment says that a newer one has no verdict yet, whatever became of its run", () => {
  const next = { runId: 11, attempt: 1, headSha: "abcdef0123".repeat(4) };
  const mark = (existing: ExistingComment[], at: CommentOrigin = next): string | null =>
    planOutdated(
      existing,
      { identity: IDENTITY, origin: at, author: US },
      { runUrl: "https://x.test/11", askedAt: "2026-11-23T10:14:59.123Z" },
    )?.body ?? null;
  const old = ours(1, origin(10), "### Tailgate: PASS");
  const marked = mark([old]) ?? "";
  expect(parseMarker(marked)).toEqual({ ...IDENTITY, ...origin(10) });
  expect(marked).toMatch(
    /^<!--.*-->\n> ⏳ \*\*Commit `abcdef0123` has no verdict yet\.\*\* \[This run\]\(<https:\/\/x.test\/11>\) measures it, since 2026-11-23 10:14 UTC; if it has ended, .* never answered: run it again\. What follows is of `9f1c2d3e4a`\.\n\n### Tailgate: PASS\n$/,
  );
  // Again, of a later push: one such line.
  const again = mark([{ ...old, body: marked }], { ...next, runId: 12 }) ?? "";
  expect(again.match(/⏳/g)).toHaveLength(1);
  expect(mark([])).toBeNull();
  expect(mark([old], { ...origin(11), attempt: 1 }), "the same commit").toBeNull();
  expect(mark([old], { ...next, runId: 9 }), "an older run").toBeNull();
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
