import fc from "fast-check";
import { expect, test } from "vitest";
import { harmlessLogLine } from "./log-line.ts";

/** As the runner reads a line of a step's output. */
function isCommand(line: string): boolean {
  return /^\s*::[^:]/.test(line) || line.includes("##[");
}

test.each([
  ["::error::boom", ": :error::boom"],
  ["   ::set-output name=verdict::pass", "   : :set-output name=verdict::pass"],
  ["x ##[group]y", "x ## [group]y"],
  ["one\n::stop-commands::x", "one ::stop-commands::x"],
  ["std::vector::push_back", "std::vector::push_back"],
])("%j", (text, expected) => {
  expect(harmlessLogLine(text)).toBe(expected);
});

test("no text is interpreted as a workflow command", () => {
  const part = fc.constantFrom(
    "::",
    ":",
    "##[",
    "#",
    "[",
    "\n",
    "\r",
    " ",
    "\t",
    "\u2028",
    "error",
    "x",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const line = harmlessLogLine(parts.join(""));
      expect(line.split(/\r|\n/)).toHaveLength(1);
      expect(isCommand(line)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
