import { describe, expect, test } from "vitest";
import { type Seen, seenIn } from "./record.ts";

const ROUNDS = {
  kind: "rounds",
  purpose: "side",
  from: 0,
  to: 3,
  rounds: 2,
  d: { rss: [0.1, -2] },
};
const SEEN = [{ kind: "built", at: 2, key: null }, { kind: "skipped", at: 1, why: "no" }, ROUNDS];
const fileOf = (seen: unknown, facts: object = {}): string =>
  JSON.stringify({ schema: "tailgate.bisect.v1", identity: "same", seen, ...facts });

test("what was seen is read as it was written", () => {
  expect(seenIn(fileOf(SEEN), "same")).toEqual(SEEN satisfies unknown as Seen[]);
});

describe("refused", () => {
  const cases: [string, string, string][] = [
    ["another line", fileOf(SEEN, { identity: "other" }), "other commits or questions"],
    ["half a file", fileOf(SEEN).slice(0, -9), "cannot be read"],
    ["nothing", "null", "cannot be read"],
    ["another format", fileOf(SEEN, { schema: "tailgate.report.v1" }), "cannot be read"],
    ["no list", fileOf({}), "cannot be read"],
    ["an unknown kind", fileOf([{ kind: "guessed", at: 1 }]), "cannot be read"],
    ["rounds of an unknown kind", fileOf([{ ...ROUNDS, kind: "guessed" }]), "cannot be read"],
    ["a key that is a number", fileOf([{ kind: "built", at: 1, key: 7 }]), "cannot be read"],
    ["no reason", fileOf([{ kind: "skipped", at: 1 }]), "cannot be read"],
    ["a place before the first", fileOf([{ kind: "built", at: -1, key: "a" }]), "cannot be read"],
    ["half a place", fileOf([{ kind: "skipped", at: 1.5, why: "no" }]), "cannot be read"],
    ["an unknown purpose", fileOf([{ ...ROUNDS, purpose: "fun" }]), "cannot be read"],
    ["a ratio in words", fileOf([{ ...ROUNDS, d: { rss: ["0.1"] } }]), "cannot be read"],
    ["no ratios", fileOf([{ ...ROUNDS, d: null }]), "cannot be read"],
    ["no round", fileOf([{ ...ROUNDS, rounds: undefined }]), "cannot be read"],
  ];
  test.each(cases)("%s", (_, text, why) => {
    expect(() => seenIn(text, "same")).toThrow(why);
  });
});
