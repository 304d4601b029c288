import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import type { Config } from "../model/config.ts";
import { listHypotheses } from "./hypotheses.ts";

test("memory per connection is asked of a service that one scenario of many connections loads", () => {
  const check = (connections: readonly number[], asked: boolean): void => {
    const config = makeConfig();
    const [first] = config.scenarios;
    const [policy] = config.policy.metrics;
    if (first === undefined || policy === undefined) throw new Error("an empty configuration");
    const changed: Config = {
      ...config,
      scenarios: connections.map((count, i) => ({
        ...first,
        id: `${first.service}/${i}`,
        name: String(i),
        connections: count,
      })),
      policy: {
        ...config.policy,
        metrics: [{ ...policy, metric: "rssPerConnection", estimator: "launch", level: "info" }],
      },
    };
    expect(listHypotheses(changed), connections.join()).toHaveLength(asked ? 1 : 0);
  };
  check([1000], true);
  check([10_000], true);
  check([999], false);
  check([10_000, 16], false);
});
