// Whatever text stands in the file, it is accepted, or refused with a place; it never breaks
// anything.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FULL, parse, refusal } from "../../../test/support/configurations.ts";
import { trialsOf } from "../../../test/support/trials.ts";
import { ConfigError } from "./problem.ts";

describe("no text is too strange", () => {
  const token = fc.constantFrom(
    ...[
      "{",
      "}",
      "[",
      "]",
      ":",
      "- ",
      "\n",
      "\t",
      "&a ",
      "*a",
      "!!binary ",
      "? ",
      "<<: ",
      "~",
      ".inf",
    ],
    ...[
      "__proto__: ",
      "constructor: ",
      "%YAML 1.1\n---\n",
      "|\n",
      ">-\n",
      "'",
      '"',
      "#",
      "\0",
      "\uFEFF",
    ],
    ...[
      "-1",
      "1e999",
      "99999999999999999999",
      "0x1F",
      "true",
      "1KiB",
      "10%",
      "{port}",
      "\u2028",
      "\uD800",
    ],
  );
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 20 })),
    insert: fc.oneof(
      fc.constant(""),
      fc.stringMatching(/^[a-z0-9]$/),
      token,
      fc.string({
        maxLength: 8,
        unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)),
      }),
    ),
  });
  const mutate = (text: string, edits: readonly { at: number; remove: number; insert: string }[]) =>
    edits.reduce((now, { at, remove, insert }) => {
      const start = Math.floor(at * now.length);
      return now.slice(0, start) + insert + now.slice(start + remove);
    }, text);

  test("mutations: accepted, or refused with a place", () => {
    let accepted = 0;
    let refused = 0;
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 2 }), (edits) => {
        const text = mutate(FULL, edits);
        try {
          parse(text);
          accepted++;
        } catch (error) {
          if (!(error instanceof ConfigError)) throw error;
          expect(error.problems.length).toBeGreaterThan(0);
          for (const { position } of error.problems) {
            expect(position.line).toBeGreaterThanOrEqual(1);
            expect(position.line).toBeLessThanOrEqual(text.split("\n").length);
            expect(position.column).toBeGreaterThanOrEqual(1);
          }
          expect(error.message).toMatch(/^tailgate\.yml(:\d+:\d+: \S|: \d+ errors$)/);
          expect(error.message).not.toContain("\n");
          refused++;
        }
      }),
      { numRuns: trialsOf(1000), seed: 20_261_121 },
    );
    // Both outcomes must occur, or the property says nothing.
    expect(Math.min(accepted, refused)).toBeGreaterThan(0);
  });

  test("any value in any place: accepted, or refused at its place", () => {
    const paths = ["version", "services", "scenarios", "metrics", "policy", "runner", "seed"];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue({ maxDepth: 4 }), (path, value) => {
        const text = JSON.stringify({ version: 1, services: {}, scenarios: {}, [path]: value });
        expect(refusal(text)).toMatch(/tailgate\.yml:1:\d+: /);
      }),
    );
  });
});
