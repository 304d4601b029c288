import { expect, test } from "vitest";
import { COST } from "../../core/config/source/source.ts";
import { costOf } from "./settings.ts";

test("costs: command line, then configuration, then default", () => {
  expect(costOf({ cost: {} }, {})).toEqual(COST);
  const configured = { ...COST, hostPrice: 120, coresPerHost: 4 };
  expect(costOf({ cost: { hostPrice: 50 } }, { cost: configured })).toEqual({
    ...COST,
    hostPrice: 50,
    coresPerHost: 4,
  });
});
