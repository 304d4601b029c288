// What counts as the same JSON, and how the first difference is told.
import fc from "fast-check";
import { expect, test } from "vitest";
import { firstDifference, readJsonAnswer } from "./json-answer.ts";

const read = (text: string, ignore: readonly string[] = []) => {
  const answer = readJsonAnswer(text, ignore);
  if (answer === null) throw new Error(`not JSON: ${text}`);
  return answer;
};

test("the first difference is told by its path, what it is and its value", () => {
  const check = (candidate: unknown, reference: unknown, ignore: string[], told: unknown): void => {
    const [ours, theirs] = [candidate, reference].map((one) => read(JSON.stringify(one), ignore));
    const found = firstDifference(ours?.value, theirs?.value);
    expect(found === null).toBe(ours?.canonical === theirs?.canonical);
    if (told === null) expect(found).toBeNull();
    else expect(found).toMatchObject(told as object);
  };
  check({ b: 1, a: [{ d: 2, c: null }] }, { a: [{ c: null, d: 2 }], b: 1 }, [], null);
  const values = (path: string, candidate: [string, string], reference: [string, string]) => ({
    path,
    candidate: { kind: candidate[0], text: candidate[1] },
    reference: { kind: reference[0], text: reference[1] },
  });
  check({ id: 1, z: 1 }, { id: 2, z: 2 }, [], values("id", ["number", "1"], ["number", "2"]));
  check({ id: 1, z: 1 }, { id: 2, z: 2 }, ["id"], { path: "z" });
  check({ id: 1, z: 1 }, { id: 2, z: 2 }, ["*"], null);
  check({ n: 1 }, { n: "1" }, [], values("n", ["number", "1"], ["string", '"1"']));
  check({ n: 1 }, {}, [], values("n", ["number", "1"], ["absent", ""]));
  check({ n: null }, {}, [], { reference: { kind: "absent" } });
  check({ items: [] }, { items: [1, 2] }, [], values("items", ["array", "0"], ["array", "2"]));
  check([], {}, [], values("", ["array", "0"], ["object", "0"]));
  const items = (...of: unknown[]) => ({ items: of });
  const ignored = ["items.*.createdAt", "requestId"];
  check(items({ id: 1, createdAt: 5 }), items({ id: 1, createdAt: 6 }), ignored, null);
  check(items({ id: 1 }, { id: 2 }), items({ id: 1 }, { id: 3 }), ignored, { path: "items.1.id" });
  check(items({ a: { createdAt: 1 } }), items({ a: { createdAt: 2 } }), ignored, {
    path: "items.0.a.createdAt",
  });
  check(items(1, 2), items(3, 2), ["items.0"], null);
  check({ "a\nb": 1 }, { "a\nb": 2 }, [], { path: String.raw`a\nb` });
});

test("long values are shortened, secrets are not shown", () => {
  const long = { token: "s3cret", text: "x".repeat(1000) };
  const shown = (key: "token" | "text") =>
    firstDifference({ [key]: long[key] }, { [key]: 1 }, (text) => text.replaceAll("s3cret", "***"));
  expect(shown("token")?.candidate.text).toBe('"***"');
  expect(shown("text")?.candidate.text).toHaveLength(61);
});

test("what is not JSON is told as such, and no depth breaks it", () => {
  for (const text of ["", "hello", "{", '{"a":}', "[".repeat(200_000)]) {
    expect(readJsonAnswer(text, []), text.slice(0, 10)).toBeNull();
  }
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(() => readJsonAnswer(deep, ["a.b"])).not.toThrow();
  expect(read('{"__proto__":1}').canonical).not.toBe(read("{}").canonical);
});

test("values are equal if and only if there is no difference", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [ours, theirs] = [one, other].map((value) => read(JSON.stringify(value)));
      const found = firstDifference(ours?.value, theirs?.value);
      expect(found === null).toBe(ours?.canonical === theirs?.canonical);
      expect(firstDifference(ours?.value, read(JSON.stringify(one)).value)).toBeNull();
    }),
  );
});
