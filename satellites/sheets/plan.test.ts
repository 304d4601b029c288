import { expect, test } from "vitest";
import { describeExpectations } from "./plan.ts";

test("what is expected stands beside the name of each question", () => {
  const lines = describeExpectations(
    {
      calibratedAt: "2026-11-24T01:00:00.000Z",
      rounds: 16,
      unusable: null,
      gateMs: 150_000,
      expectations: ["api rss", "api/echo slow windows"].map((id) => ({
        ...{ id, sd: 0.02, sdHigh: 0.03, rounds: 10, passMs: 60_000, margin: 0.05, kept: true },
      })),
    },
    (id) => (id === "api rss" ? "api RSS after load" : "api/echo slowest answer"),
  );
  const says = "sd 0.020, passes after 10 rounds (1 min 00 s of its service)";
  expect(lines).toEqual([
    "",
    "Calibrated 2026-11-24 over 16 rounds",
    `  api RSS after load       ${says}`,
    `  api/echo slowest answer  ${says}`,
  ]);
});
