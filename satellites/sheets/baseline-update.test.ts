// The text of a baseline update's pull request, as people read it.
import { expect, test } from "vitest";
import { UPDATE_CASES } from "../../test/support/baseline-update-cases.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { HOSTILE } from "../../test/support/report-cases.ts";
import { renderUpdateBody, renderUpdateTitle } from "./baseline-update.ts";

const make = (name: keyof typeof UPDATE_CASES) => UPDATE_CASES[name]();
const LINKS = [{ label: "workflow run 7", url: "https://github.com/shop/api/actions/runs/7" }];

test.each(["moved", "first", "stale", "machine", "hostile"] as const)(
  "golden: %s",
  async (name) => {
    const update = make(name);
    const title = renderUpdateTitle(update);
    const body = renderUpdateBody(update, {
      links: LINKS,
      notes: name === "hostile" ? [HOSTILE.markdown] : [],
    });
    await checkGolden(`baseline-update/${name}.md`, `${title}\n\n---\n\n${body}`);
  },
);

test("what is loosened stands first", () => {
  const body = renderUpdateBody(make("moved"));
  const titles = body.split("\n").filter((line) => /^\*\*[A-Z]/.test(line));
  expect(titles[0]).toMatch(/^\*\*Loosened/);
  expect(body.indexOf("no\u00a0waiver")).toBeLessThan(body.indexOf("**Tightened"));
});

test("the same update gives the same text", () => {
  expect(renderUpdateBody(make("moved"))).toBe(renderUpdateBody(make("moved")));
});

test("every row has as many cells as its head", () => {
  for (const name of ["moved", "hostile"] as const) {
    const lines = renderUpdateBody(make(name)).split("\n");
    let cells = 0;
    for (const line of lines) {
      const count = line.startsWith("|") ? line.split(/(?<!\\)\|/).length : 0;
      if (cells > 0 && count > 0) expect(count, line).toBe(cells);
      cells = count;
    }
  }
});

test("stays within what GitHub takes, whatever the number of values", () => {
  const update = make("moved");
  const [first] = update.services;
  if (first === undefined) throw new Error("no service");
  const services = Array.from({ length: 60 }, (_, i) => ({
    ...first,
    service: `service-${i}`,
    values: Array.from({ length: 20 }, () => first.values).flat(),
  }));
  const body = renderUpdateBody({ ...update, services });
  expect(body.length).toBeLessThanOrEqual(65_536);
  expect(body).toContain("more such rows");
});
