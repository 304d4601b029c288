import { expect, test } from "vitest";
import {
  makeConfig,
  makePolicy,
  makeSamples,
  makeScenario,
  withNew,
} from "../../../test/support/samples.ts";
import type { Config, Scenario } from "../model/config.ts";
import type { Samples } from "../model/samples.ts";
import {
  askedOf,
  type Hypothesis,
  listHypotheses,
  listStorable,
  measuredOf,
} from "./hypotheses.ts";

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

const SLOW = makePolicy("slow", "windows", "gate", [0.4, 0.1, 10]);

/** Asked of the slowest answers alone, as all configurations now are. */
function ofSlow(scenarios: readonly Scenario[], slowOfServices?: true): Config {
  const config = makeConfig({ scenarios: [...scenarios] });
  return { ...config, policy: { ...config.policy, metrics: [SLOW], slowOfServices } };
}

/** `api/a×2 api/b×2 api: a b ×2.5`: what is asked, of which and clipped at how many margins. */
const shown = (asked: readonly Hypothesis[]): string =>
  asked
    .map(
      ({ service, scenario, among, clip = 3 }) =>
        `${scenario ?? `${service}: ${among?.map((id) => id.slice(4)).join(" ")} `}×${clip}`,
    )
    .join(" ");

test("slow answers are asked of a service with several scenarios too, of the three with most load", () => {
  const check = (scenarios: readonly Scenario[], expected: string): void =>
    expect(shown(listHypotheses(ofSlow(scenarios, true)))).toBe(expected);
  const of = (name: string, pairs = 2, change: Partial<Scenario> = {}): Scenario =>
    makeScenario({ slice: { pairs, durationMs: 500 }, ...change }, name);
  const elsewhere = { id: "web/a", service: "web" };
  const watched = { metrics: [{ ...SLOW, level: "warn" as const }] };
  check([of("a")], "api/a×3");
  check([of("a"), of("b")], "api/a×2 api/b×2 api: a b ×2.5");
  check([of("a"), of("b", 3)], "api/a×2 api/b×2 api: b a ×2.5");
  check(
    [of("a"), of("b", 3), of("c"), of("d", 3)],
    "api/a×2 api/b×2 api/c×2 api/d×2 api: b d a ×2.5",
  );
  check(
    [of("a", 1, { slice: { pairs: 1, durationMs: 5000 } }), of("b", 4), of("c", 3), of("d", 2)],
    "api/a×2 api/b×2 api/c×2 api/d×2 api: a b c ×2.5",
  );
  check([of("a"), of("b", 2, watched)], "api/a×3 api/b×3");
  check([of("a"), of("b", 2, watched), of("c")], "api/a×2 api/b×2 api/c×2 api: a c ×2.5");
  check([of("a"), of("a", 2, elsewhere)], "api/a×3 web/a×3");
  // A margin that is given in one of them holds for the service.
  const auto = { metrics: [{ ...SLOW, auto: true as const }] };
  const isAuto = (...scenarios: Scenario[]): unknown =>
    listHypotheses(ofSlow(scenarios, true)).find(({ among }) => among)?.policy.auto;
  expect(isAuto(of("a", 3, auto), of("b", 2, auto))).toBe(true);
  expect(isAuto(of("a", 3, auto), of("b"))).toBeUndefined();
});

test("the parts of a mix are no scenarios of their service: they run while the whole does", () => {
  const part = { request: makeScenario().request, expectStatus: 200 };
  const mix = ["x", "y"].map((name) => ({ name, weight: 1, ...part }));
  const alone = listHypotheses(ofSlow([makeScenario({ mix }, "m")], true));
  expect(shown(alone)).toBe("api/m×3 api/m[x]×3 api/m[y]×3");
  const beside = listHypotheses(ofSlow([makeScenario({ mix }, "m"), makeScenario({}, "a")], true));
  expect(shown(beside)).toBe("api/m×2 api/m[x]×2 api/m[y]×2 api/a×2 api: m a ×2.5");
});

test("a service is held to the widest limits of its scenarios, and tolerates what each may be", () => {
  const wide = { ...SLOW, margin: 0.6, tolerance: 0.02, floor: 0.2, absoluteFloor: 50 };
  const config = ofSlow([makeScenario({}, "a"), makeScenario({ metrics: [wide] }, "b")], true);
  const { policy } = listHypotheses(config).at(-1) ?? {};
  expect(policy).toEqual({ ...wide, tolerance: 1.02 ** 2 - 1 });
});

test("samples of before ask no service, and what has no value of its own is not stored", () => {
  const two = [makeScenario({}, "a"), makeScenario({}, "b")];
  expect(shown(listHypotheses(ofSlow(two)))).toBe("api/a×3 api/b×3");
  expect(shown(listStorable(ofSlow(two, true)))).toBe("api/a×2 api/b×2");
});

test("a service is asked of the scenarios that both arms have, and only where both were measured", () => {
  const names = ["echo", "hello", "more"];
  const samples = (scenarios: readonly string[], compare: "base" | "stored" = "base"): Samples => ({
    ...makeSamples({ rounds: 2, noise: 0, compare }),
    config: ofSlow(
      scenarios.map((name) => makeScenario({}, name)),
      true,
    ),
  });
  expect(shown(askedOf(samples(names)))).toContain("api: echo hello more ×2.5");
  expect(shown(askedOf(withNew(samples(names), "api/hello")))).toBe(
    "api/echo×2 api/more×2 api: echo more ×2.5",
  );
  const one = withNew(samples(names.slice(0, 2)), "api/hello");
  expect(shown(askedOf(one))).toBe("api/echo×3");
  expect(shown(measuredOf(one))).toBe("api/echo×3 api/hello×2");
  expect(shown(askedOf(samples(names, "stored")))).toBe("api/echo×2 api/hello×2 api/more×2");
});
