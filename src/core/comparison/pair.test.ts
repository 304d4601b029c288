// Which scenarios two services are compared on.
import { expect, test } from "vitest";
import { makeConfig } from "../../../test/support/samples.ts";
import { UserError } from "../base/errors.ts";
import type { Config, Scenario } from "../model/config.ts";
import { namesOf, pairServices } from "./pair.ts";

/** `api` and `next` both have echo and hello; `alone` has nothing. */
function configuration(change: Partial<Scenario> = {}): Config {
  const config = makeConfig();
  const [api] = config.services;
  if (api === undefined) throw new Error("no service");
  const others = config.scenarios.map((scenario) => ({
    ...scenario,
    id: `next/${scenario.name}`,
    service: "next",
    ...(scenario.name === "hello" ? change : {}),
  }));
  return {
    ...config,
    services: [
      api,
      { ...api, name: "next", scheme: "alternate", recipe: { ...api.recipe, build: ["make"] } },
      { ...api, name: "alone" },
    ],
    scenarios: [...config.scenarios, ...others],
  };
}

test("the scenarios of one name become the pair's, and each arm is its own service", () => {
  const { config, reference } = pairServices(configuration(), ["next", "api"], null);
  const [pair, ...more] = config.services;
  expect(more).toEqual([]);
  expect(pair).toMatchObject({ name: "next vs api", scheme: "alternate" });
  const recipeOf = (name: string) =>
    configuration().services.find((service) => service.name === name)?.recipe;
  expect(pair?.recipe).toEqual(recipeOf("next"));
  expect(reference).toEqual({ "next vs api": recipeOf("api") });
  expect(config.scenarios.map(({ id }) => id)).toEqual(["next vs api/echo", "next vs api/hello"]);
  expect(new Set(config.scenarios.map(({ service }) => service))).toEqual(new Set([pair?.name]));
  expect(config.policy.metrics.every(({ level }) => level === "info")).toBe(true);
  expect(namesOf({ config })).toEqual({ candidate: "next", reference: "api" });
  expect(namesOf({ config: configuration() })).toBe(null);
});

test("a scenario under another load may be left out", () => {
  const config = configuration({ rateRps: 10 });
  expect(pairServices(config, ["api", "next"], ["echo"]).config.scenarios).toHaveLength(1);
});

test.each([
  { names: ["apo", "next"], scenarios: null, says: /no service apo/ },
  { names: ["api", "api"], scenarios: null, says: /api is named twice/ },
  { names: ["api", "alone"], scenarios: null, says: /api and alone have no scenario in common/ },
  { names: ["api", "next"], scenarios: ["bye"], says: /have no scenario bye in common/ },
  {
    names: ["api", "next"],
    scenarios: null,
    says: /api.hello and next.hello are not the same load: rateRps differ/,
  },
] as const)("$names, $scenarios: $says", ({ names, scenarios, says }) => {
  const choose = () => pairServices(configuration({ rateRps: 10 }), names, scenarios);
  expect(choose).toThrow(UserError);
  expect(choose).toThrow(says);
});
