// One comment of ours, whatever else is written under a pull request.
import { expect, test } from "vitest";
import { type CommentOrigin, isGateKey, parseMarker, renderMarker } from "./marker.ts";
import {
  type CommentPlan,
  type DesiredComment,
  type ExistingComment,
  planBegun,
  planComment,
  planDouble,
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

const OTHERS = { b: "b".repeat(40), c: "c".repeat(40) } as const;
const RESULT = "### Tailgate: PASS";

/** The comment after a run has begun; null: it is left as it is. */
function begun(existing: ExistingComment[], at: CommentOrigin): string | null {
  const told = { runUrl: `https://x.test/${at.runId}`, askedAt: "2026-11-23T10:14:59.123Z" };
  return planBegun(existing, { identity: IDENTITY, origin: at, author: US }, told)?.body ?? null;
}

const old = ours(1, origin(10), RESULT);
const next = { runId: 12, attempt: 1, headSha: OTHERS.b };
/** `old`, since `next` has begun. */
const marked = { ...old, body: begun([old], next) ?? "" };

test("an earlier commit's comment says that a newer one has no verdict yet, whatever became of its run", () => {
  expect(parseMarker(marked.body)).toEqual({ ...IDENTITY, ...origin(10), begun: next });
  expect(marked.body).toMatch(
    /^<!--.*-->\n> ⏳ \*\*Commit `bbbbbbbbbb` has no verdict yet\.\*\* \[This run\]\(<https:\/\/x.test\/12>\) measures it, since 2026-11-23 10:14 UTC; if it has ended, .* never answered: run it again\. What follows is of an earlier commit\.\n\n### Tailgate: PASS\n$/,
  );
});

/** Commit and link of each line that says so; `none`: the comment is left as it is. */
test.each<[string, ExistingComment[], CommentOrigin, string]>([
  ["there is no comment", [], next, "none"],
  [
    "a later push: one such line",
    [marked],
    { ...next, runId: 13, headSha: OTHERS.c },
    "cccccccccc 13",
  ],
  ["the next attempt", [marked], { ...next, attempt: 2 }, "bbbbbbbbbb 12"],
  ["that run once more", [marked], next, "none"],
  ["an older run than the result's", [old], { ...next, runId: 9 }, "none"],
  [
    "an older run than the one that has begun",
    [marked],
    { ...next, runId: 11, headSha: OTHERS.c },
    "none",
  ],
  ["a re-run of the result's", [old], origin(10, 2), "none"],
  ["another run of the result's commit", [old], origin(11), ""],
  ["pushed back to the result's commit", [marked], origin(13), ""],
])("what a beginning run says: %s", (_, existing, at, expected) => {
  const body = begun(existing, at);
  const lines = [...(body ?? "").matchAll(/⏳ \*\*Commit `(\w+)`.*x\.test\/(\d+)/g)];
  const said = lines.map(([, commit, run]) => `${commit} ${run}`).join(", ");
  expect(body === null ? "none" : said).toBe(expected);
  if (body !== null) expect(parseMarker(body)).toMatchObject({ ...origin(10), begun: at });
});

/** What a result of run 11 makes of a comment in which run 12 has begun. */
test.each<[string, ExistingComment, CommentOrigin, RegExp | null]>([
  [
    "of another commit: below that line",
    marked,
    { ...next, runId: 11, headSha: OTHERS.c },
    /^<!--.* run=11 .* begun=12\/1\/b{40} -->\n> ⏳ .*`bbbbbbbbbb`.*\n\nnew\n$/,
  ],
  [
    "of the same commit: in its place",
    marked,
    { ...next, runId: 11 },
    /^<!--.* run=11 attempt=1 head=b{40} -->\nnew\n$/,
  ],
  [
    "of that run itself: in its place",
    marked,
    next,
    /^<!--.* run=12 attempt=1 head=b{40} -->\nnew\n$/,
  ],
  [
    "where that one was pushed back to: not at all",
    { ...old, body: begun([old], origin(12)) ?? "" },
    { ...next, runId: 11 },
    null,
  ],
])("a result that comes after a newer run has begun, %s", (_, existing, at, expected) => {
  const planned = plan([existing], { origin: at, body: `${renderMarker(IDENTITY, at)}\nnew\n` });
  if (expected === null) check(planned, "keep 1 newer-result");
  else expect(planned).toMatchObject({ kind: "update", body: expect.stringMatching(expected) });
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
  const read = { ...IDENTITY, ...origin(10, 2) };
  expect(parseMarker(`${marker}\r\nrest`)).toEqual({ ...read, begun: null });
  const of = renderMarker(IDENTITY, origin(10, 2), origin(11));
  expect(parseMarker(of)).toEqual({ ...read, begun: origin(11) });
  for (const broken of [
    marker.slice(1),
    marker.replace("run=10", "run=-1"),
    marker.replace("run=10", "run=1e9"),
    `${marker} and more`,
    marker.replace("key=default", "key=a b"),
    marker.replace(" attempt=2", ""),
    of.replace("begun=11/1/", "begun=11/"),
  ]) {
    expect(parseMarker(broken), broken).toBeNull();
  }
  expect(
    ["default", "nightly.2", "-", "", "a b", "x".repeat(65), "a>b", "ü"].map(isGateKey),
  ).toEqual([true, true, true, false, false, false, false, false]);
  expect(() => renderMarker({ ...IDENTITY, key: "-->" }, origin(1))).toThrow(/must be checked/);
});
