// Progress on standard error: what is ours in it is obeyed, and what others wrote is not.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HOSTILE_TEXTS } from "../../test/support/hostile-text.ts";
import { harmOnScreen } from "../../test/support/screen.ts";
import type { LineProgress } from "../app/progress.ts";
import { systemClock } from "../machine/sys/clock.ts";
import { createLineProgress } from "./progress.ts";

interface Where {
  isTTY?: boolean;
  env?: NodeJS.ProcessEnv;
}

/** What is printed of what is told. */
function printedBy(
  tell: (progress: LineProgress) => void,
  { isTTY = false, env = {} }: Where = {},
): string {
  let printed = "";
  const write = (text: string): boolean => {
    printed += text;
    return true;
  };
  const target = { write, columns: 80, isTTY } as unknown as NodeJS.WriteStream;
  const progress = createLineProgress(target, env, systemClock);
  tell(progress);
  progress.end();
  return printed;
}

/** Everything that may be told, with this text in it. */
const told = (text: string, where: Where): string =>
  printedBy((progress) => {
    progress.stage(text);
    progress.note(text);
    progress.status(text);
    progress.note(text);
  }, where);

/** Without what only we may say, as GitHub's runner reads it. */
const foreignIn = (printed: string): string =>
  printed
    .replaceAll("\r\u001b[K", "\n")
    .replace(/^::endgroup::$/gm, "")
    .replace(/^::group::(.*)$/gm, (_, title: string) => title.replaceAll("%25", "%"));

describe.each([
  ["a file", {}],
  ["a terminal", { isTTY: true }],
  ["GitHub's log", { env: { GITHUB_ACTIONS: "true" } }],
])("in %s", (_, where) => {
  test("a build's line or a commit's subject is text, whatever stands in it", () => {
    const hostile = fc.array(
      fc.oneof(
        fc.constantFrom(...HOSTILE_TEXTS),
        fc.constantFrom("::", "##[", "\n", "\r", "\u001b[2J", "\u001b]0;", "\u009b", " "),
        fc.string({ unit: "binary", maxLength: 6 }),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        const text = parts.join("");
        expect(harmOnScreen(foreignIn(told(text, where)))).toBeNull();
      }),
      // What is escaped in a group's title is longer than the longest line.
      { numRuns: 500, examples: [[["%0A::error::x", "@a ".repeat(1500)]]] },
    );
  });
});

test("a status fits the terminal, by columns", () => {
  const [, status = ""] = told("検".repeat(200), { isTTY: true }).split("\n  ").slice(1);
  const { length } = Array.from(status.split("\r")[0] ?? "");
  expect(length).toBeGreaterThan(30);
  expect(length).toBeLessThanOrEqual(40);
});

test("a secret is hidden as others would print it, and as we would", () => {
  const printed = printedBy(({ secret }) => secret("a\tb\u200bcd"), {
    env: { GITHUB_ACTIONS: "true" },
  });
  expect(printed).toBe("::add-mask::a\tb\u200bcd\n::add-mask::a  bcd\n");
});

test("a group is named by one line, whatever the runner would make of its name", () => {
  const printed = printedBy((progress) => progress.stage("a%0A::error::b"), {
    env: { GITHUB_ACTIONS: "true" },
  });
  expect(printed).toContain("::group::a%250A::error::b\n");
});
