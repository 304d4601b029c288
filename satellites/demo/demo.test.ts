// What is said of the demonstration's gate, and what its change is.
import { expect, test } from "vitest";
import { makeReport } from "../../test/support/report.ts";
import { CHANGED_SERVICE, SERVICE } from "./service.ts";
import { tellDemo } from "./tell.ts";

const FILES = ["/tmp/tailgate-demo-1/report.v1.json", "/tmp/tailgate-demo-1/report.html"];
const WORSE = { state: "regressed", shift: 1.2 } as const;

test("a red one: what was seen, where the page is, and what comes next", () => {
  const changes = { "gin-api/echo p99 typical": WORSE, "gin-api rss": WORSE };
  expect(`${tellDemo(makeReport({ state: "regressed", changes }), FILES)}\n`).toMatchSnapshot();
});

test("any other is owned to be no red", () => {
  const told = tellDemo(makeReport({ state: "inconclusive" }), []);
  expect(told).toContain("That should have been red, and it is INCONCLUSIVE.");
  expect(told).not.toMatch(/Proven worse|The report/);
});

test("the change moves a line, and says why", () => {
  const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim());
  const [before, after] = [linesOf(SERVICE), linesOf(CHANGED_SERVICE)];
  const added = after.filter((line) => !before.includes(line));
  expect(added).toEqual(["// Prices change while the shop is open."]);
  expect([...after].sort()).toEqual(
    [...before, ...added].filter(Boolean).concat(blanks(after)).sort(),
  );
  expect(after.indexOf("const byPrice = products.toSorted((a, b) => a.cents - b.cents);")).toBe(
    before.indexOf('response.setHeader("content-type", "application/json");') - 1,
  );
});

function blanks(lines: readonly string[]): string[] {
  return lines.filter((line) => line === "");
}
