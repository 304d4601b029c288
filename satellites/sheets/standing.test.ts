// Changes that stand, as the nightly issue tells them.
import { expect, test } from "vitest";
import type { StandingChange } from "../../src/core/model/history.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { nightOf, tipOf } from "../../test/support/history.ts";
import { renderStanding, standingHeadline } from "./standing.ts";

const REPOSITORY = "https://github.com/acme/shop";
const size = (estimate: number) => ({ estimate, low: estimate - 0.011, high: estimate + 0.012 });

function standing(more: Partial<StandingChange> = {}, subject = "Reuse buffers"): StandingChange {
  const night = nightOf({ day: 40 });
  const began = { ...night, commit: { ...night.commit, subject } };
  return {
    series: "api/echo/p99Typical",
    runnerClass: "default",
    index: 40,
    until: 40,
    after: tipOf(39),
    by: tipOf(40),
    first: tipOf(40),
    size: size(0.05),
    left: size(0.05),
    foundAfter: 48,
    machineChanged: false,
    commits: null,
    began,
    ended: began,
    ...more,
  };
}

const CASES: readonly StandingChange[] = [
  standing(),
  standing({ series: "api/rss", commits: 1 }),
  standing({ series: "api/rssPeak", after: tipOf(37), commits: 3 }),
  standing({
    until: 60,
    ended: nightOf({ day: 60 }),
    by: tipOf(42),
    size: size(0.2),
    left: size(0.2),
  }),
  standing({ series: "api/cpuPer1k", left: size(0.03) }),
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
