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

test("the typical p99 is asked where slices are long enough, whether the arms run at once or not", () => {
  const check = (scheme: "sliced" | "alternate", rateRps: number, isAsked: boolean): void => {
    const config = makeConfig();
    const scenarios = config.scenarios.map((scenario) => ({ ...scenario, rateRps }));
    const services = config.services.map((service) => ({ ...service, scheme }));
    const asked = listHypotheses({ ...config, services, scenarios });
    const typical = asked.filter(({ id }) => id.endsWith("p99 typical"));
    expect(typical.length > 0, `${scheme} ${rateRps}/s`).toBe(isAsked);
  };
  check("sliced", 1000, true);
  check("alternate", 1000, true);
  check("sliced", 20, false);
  check("alternate", 20, false);
});
