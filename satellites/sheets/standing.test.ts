// Changes that stand, as the nightly issue tells them.
import { expect, test } from "vitest";
import type { StandingChange } from "../../src/core/model/history.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { nightOf, sizeOf, standing, tipOf } from "../../test/support/history.ts";
import { renderStanding, standingHeadline } from "./standing.ts";

const REPOSITORY = "https://github.com/acme/shop";
const CASES: readonly StandingChange[] = [
  standing(),
  standing({ series: "api/rss", commits: 1 }),
  standing({ series: "api/rssPeak", after: tipOf(37), commits: 3 }),
  standing({
    until: 60,
    ended: nightOf({ day: 60 }),
    by: tipOf(42),
    size: sizeOf(0.2),
    left: sizeOf(0.2),
  }),
  standing({ series: "api/cpuPer1k", left: sizeOf(0.03) }),
  standing({ series: "api/rssIdle", by: tipOf(39), commits: 0, machineChanged: true }),
  standing({}, "<img src=x> @everyone `x`\n# heading"),
];

test("golden", async () => {
  const text = [...CASES.map(standingHeadline), "", renderStanding(CASES, REPOSITORY)].join("\n");
  await checkGolden("publish/standing.md", `${text}\n`);
});

test("of very many the largest are told", () => {
  const many = Array.from({ length: 50 }, () => standing());
  expect(renderStanding(many, REPOSITORY).match(/^- /gm)).toHaveLength(21);
});
