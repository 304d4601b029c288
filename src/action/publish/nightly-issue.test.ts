// The nightly issue where most is wrong: GitHub takes no longer one.
import { expect, test } from "vitest";
import { standing } from "../../../test/support/history.ts";
import { makeReport } from "../../../test/support/report.ts";
import { satellites } from "../../entry/satellites.ts";
import { checkLengths } from "../../github/limits.ts";
import { syncIssue } from "./nightly-issue.ts";

const NAME = "n".repeat(60);
const SCENARIOS = Array.from({ length: 200 }, (_, i) => `${NAME}${i}`);
const REPORT = makeReport({
  scenarios: SCENARIOS,
  state: "regressed",
  changes: Object.fromEntries(
    SCENARIOS.map((name) => [`gin-api/${name} p99 typical`, { state: "regressed", shift: 0.5 }]),
  ),
});

test.each([0, 1, 400])("a large report, and %i changes that stand", async (count) => {
  let body = "";
  const changes = Array.from({ length: count }, (_, i) =>
    standing({ series: `${NAME}/${NAME}${i}/p99Typical`, commits: 3 }, "<".repeat(100)),
  );
  await syncIssue(
    { night: { kind: "measured", report: REPORT, samples: "samples.v1.json" }, changes },
    {
      inputs: { issueLabel: "tailgate", key: "default", inconclusive: "fail" },
      context: { repositoryUrl: "https://github.com/acme/shop", runUrl: "https://github.com" },
      environment: { satellites },
    } as unknown as Parameters<typeof syncIssue>[1],
    {
      issues: async function* () {},
      updateIssue: async () => Promise.reject(new Error("there is none")),
      createIssue: async (issue) => {
        body = issue.body;
        return {
          ...issue,
          number: 1,
          state: "open",
          author: "tailgate",
          url: "https://github.com",
        };
      },
    },
  );
  checkLengths("createIssue", { body });
  expect(body).toContain("REGRESSED");
  if (count === 400) expect(body).toContain("- and 381 more");
});
