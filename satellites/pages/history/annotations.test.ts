import { expect, test } from "vitest";
import { nightOf, timeOf, tipOf } from "../../../test/support/history.ts";
import { parseAnnotations } from "./annotations.ts";

const RECORDS = [5, 2, 3].map((day) => nightOf({ day, commit: tipOf(Math.min(day, 3)) }));
const parse = (text: string) => parseAnnotations(text, "a.yml", RECORDS);

test("a day stands at its beginning, a commit where it was measured first", () => {
  const text = `
- date: 2026-10-31
  text: moved to another region
- commit: ${tipOf(3).slice(0, 7)}
  text: "1.10"
`;
  expect(parse(text)).toEqual([
    { at: "2026-10-31T00:00:00.000Z", text: "moved to another region" },
    { at: timeOf(3), text: "1.10" },
  ]);
  expect(parse("")).toEqual([]);
});

test.each([
  { text: "- text: a", says: /^a\.yml:1:3: .*expected a text, and either/ },
  { text: "- date: 31.10.2026\n  text: a", says: /^a\.yml:1:9: .*ISO date/ },
  { text: "- date: 2026-10-31\n  commit: abcdef0\n  text: a", says: /expected a text/ },
  {
    text: "- date: 2026-10-31\n  text: a\n- commit: abcdef0\n  text: b",
    says: /^a\.yml:3:11: no run/,
  },
  { text: "- date: [", says: /^a\.yml:\d+:\d+: / },
  { text: "date: 2026-10-31", says: /expected array/ },
])("$text is refused with its place", ({ text, says }) => {
  expect(() => parse(text)).toThrow(says);
});
