// Which margin `auto` comes to, and that nothing but configuration, profile and machine have a say.
import fc from "fast-check";
import { expect, test } from "vitest";
import { CALIBRATED_AT, profileOfSpreads, spread } from "../../../test/support/calibration.ts";
import {
  makeConfig,
  makePolicy,
  makeSamples,
  makeScenario,
} from "../../../test/support/samples.ts";
import type { Config, MetricPolicy } from "../model/config.ts";
import type { Fingerprint } from "../model/host.ts";
import type { Profile } from "../model/profile.ts";
import { gatedOf, listHypotheses } from "../verdict/hypotheses.ts";
import { methodOf } from "../verdict/slow.ts";
import { closestMargin, withAutoMargins } from "./auto-margin.ts";

const { fingerprint } = makeSamples({ rounds: 0, noise: 0 }).host;
const AUTO = { auto: true } as const;
const isP99 = ({ metric, estimator }: MetricPolicy): boolean =>
  metric === "p99" && estimator === "typical";

/** `echo` and `hello`; the p99 is `auto`, and memory sets the pace. */
function configured(change: (config: Config) => unknown = () => {}): Config {
  const config = makeConfig();
  for (const policy of config.policy.metrics) if (isP99(policy)) Object.assign(policy, AUTO);
  change(config);
  return config;
}

interface Case {
  config?: Config;
  profile?: Profile | null;
  machine?: Fingerprint | null;
}

/** Margin, floor and what it is by, of each gated question that is `auto`. */
function check(
  { config = configured(), profile = profileOfSpreads(config), machine = fingerprint }: Case,
  expected: Record<string, [margin: number, floor: number, by: "profile" | "default"]>,
): void {
  const asked = withAutoMargins(config, profile, machine);
  const { autoMargins = {} } = asked.policy;
  for (const one of Object.values(autoMargins)) expect(one.calibratedAt).toBe(CALIBRATED_AT);
  const found = gatedOf(listHypotheses(asked)).flatMap(({ id, policy }) => {
    const { margin, floor, auto } = policy;
    const by = autoMargins[id] === undefined ? "default" : "profile";
    return auto === true ? [[id, [margin, floor, by]]] : [];
  });
  expect(Object.fromEntries(found)).toEqual(expected);
}

const [ECHO, HELLO] = ["api/echo p99 typical", "api/hello p99 typical"] as const;
const DEFAULT = [0.1, 0.05, "default"] as const;
type Expected = Record<string, [number, number, "profile" | "default"]>;
const both = (one: readonly [number, number, "profile" | "default"]): Expected => ({
  [ECHO]: [...one],
  [HELLO]: [...one],
});

const withMetric = (profile: Profile, id: string, change: object): Profile => ({
  ...profile,
  metrics: profile.metrics.map((one) => (one.id === id ? { ...one, ...change } : one)),
});

test("the default holds where no profile tells of this machine, or of this load", () => {
  const config = configured();
  const profile = profileOfSpreads(config);
  check({ profile: null }, both(DEFAULT));
  check({ machine: { ...fingerprint, kernel: "another" } }, both(DEFAULT));
  check(
    { profile: { ...profile, metrics: profile.metrics.filter(({ id }) => id !== ECHO) } },
    { [ECHO]: [...DEFAULT], [HELLO]: [0.07, 0.035, "profile"] },
  );
  const [first] = config.scenarios;
  const faster = {
    ...config,
    scenarios: [makeScenario({ rateRps: 4000 }), ...config.scenarios.slice(1)],
  };
  expect(first?.id).toBe("api/echo");
  check({ config: faster, profile }, { [ECHO]: [...DEFAULT], [HELLO]: [0.07, 0.035, "profile"] });
  check(
    { profile: withMetric(profile, ECHO, { costs: [] }) },
    {
      [ECHO]: [...DEFAULT],
      [HELLO]: [0.07, 0.035, "profile"],
    },
  );
  // A plan is made anywhere.
  check({ machine: null }, both([0.07, 0.035, "profile"]));
});

test("it is closer the quieter the machine is, and never looser than what it replaces", () => {
  const config = configured();
  const quiet = profileOfSpreads(config);
  check({ profile: quiet }, both([0.07, 0.035, "profile"]));
  check(
    { profile: withMetric(quiet, ECHO, { d: spread(0.07) }) },
    {
      [ECHO]: [0.095, 0.0475, "profile"],
      [HELLO]: [0.07, 0.035, "profile"],
    },
  );
  check({ profile: profileOfSpreads(config, { sd: 0.3 }) }, both([0.1, 0.05, "profile"]));
  // In fewer rounds less is shown.
  check({ profile: profileOfSpreads(config, { sd: 0.05, p90: 6 }) }, both([0.1, 0.05, "profile"]));
  check(
    { profile: profileOfSpreads(config, { sd: 0.05, p90: 30 }) },
    both([0.07, 0.035, "profile"]),
  );
});

test("what is given says how many rounds there are, whatever is auto takes", () => {
  const config = configured();
  const profile = profileOfSpreads(config, { sd: 0.05, p90: 6 });
  const slow = profileOfSpreads(config, { sd: 0.05, p90: 30 }).metrics.find(
    ({ id }) => id === HELLO,
  );
  check(
    { profile: withMetric(profile, HELLO, { costs: slow?.costs }) },
    both([0.1, 0.05, "profile"]),
  );
  check(
    { profile: withMetric(profile, "api rss", { costs: slow?.costs }) },
    both([0.1, 0.05, "profile"]),
  );
});

test("a scenario or a service may have another, or a margin that is given", () => {
  const [p99] = configured().policy.metrics;
  if (p99 === undefined) throw new Error("no policy");
  const own = (change: Partial<MetricPolicy>): Config =>
    configured(({ scenarios }) => scenarios[1]?.metrics.push({ ...p99, ...change }));
  check(
    { config: own({ margin: 0.3 }), profile: profileOfSpreads(own({}), { sd: 0.15 }) },
    {
      [ECHO]: [0.1, 0.05, "profile"],
      [HELLO]: [0.21, 0.05, "profile"],
    },
  );
  check({ config: own({ margin: 0.3, auto: undefined }) }, { [ECHO]: [0.07, 0.035, "profile"] });
  const peak = { ...makePolicy("rssPeak", "launch", "gate", [0.2, 0.1, 0]), ...AUTO };
  const ofService = makeConfig();
  ofService.policy.metrics.push({ ...peak, auto: undefined });
  ofService.services[0] = { ...(ofService.services[0] as Config["services"][0]), metrics: [peak] };
  check({ config: ofService }, { "api rssPeak": [0.07, 0.035, "profile"] });
});

test("it stays above the tolerance, and below what it replaces", () => {
  const tolerating = (tolerance: number): Config =>
    configured(({ policy }) => {
      for (const one of policy.metrics) if (isP99(one)) one.tolerance = tolerance;
    });
  check({ config: tolerating(0.08) }, both([0.085, 0.0425, "profile"]));
  check({ config: tolerating(0.098) }, both([0.1, 0.05, "profile"]));
});

test("each service has its own pace, and a part of a mix the load of its whole", () => {
  const config = configured(({ services, scenarios }) => {
    const [api] = services;
    const [echo] = scenarios;
    if (api === undefined || echo === undefined) throw new Error("no service");
    services.push({ ...api, name: "web" });
    const part = { request: echo.request, expectStatus: 200 };
    const mix = ["browse", "buy"].map((name) => ({ name, weight: 1, ...part }));
    const slice = { durationMs: 2000, pairs: 4 };
    scenarios.splice(1, 1, {
      ...makeScenario({ mix, slice }, "cart"),
      id: "web/cart",
      service: "web",
    });
  });
  const profile = profileOfSpreads(config, { sd: 0.05 });
  const [early] = profileOfSpreads(config, { p90: 6 }).metrics.flatMap(({ costs }) =>
    costs.length > 0 ? [costs] : [],
  );
  const metrics = profile.metrics.map((one) =>
    one.service === "web" ? { ...one, costs: early ?? [] } : one,
  );
  const mixed = (web: Parameters<typeof both>[0]): Expected => ({
    [ECHO]: [0.07, 0.035, "profile"],
    "web/cart p99 typical": [...web],
    "web/cart[browse] p99 typical": [...web],
    "web/cart[buy] p99 typical": [...web],
  });
  const other = structuredClone(config);
  other.scenarios[1] = {
    ...(other.scenarios[1] as (typeof other.scenarios)[number]),
    connections: 99,
  };
  check({ config, profile: { ...profile, metrics } }, mixed([0.1, 0.05, "profile"]));
  check({ config: other, profile }, mixed(DEFAULT));
});

test("slow answers of a service have a margin of their own", () => {
  const config = configured((one) => {
    one.policy.metrics.push({ ...makePolicy("slow", "windows", "gate", [0.4, 0.1, 0]), ...AUTO });
    one.policy.slowOfServices = true;
  });
  const id = "api slow";
  const profile = profileOfSpreads(config, { p90: 20 });
  const slow = (ofService: number): Expected => ({
    ...both([0.07, 0.035, "profile"]),
    "api/echo slow windows": [0.07, 0.035, "profile"],
    "api/hello slow windows": [0.07, 0.035, "profile"],
    [id]: [ofService, ofService / 2, "profile"],
  });
  check({ config, profile }, slow(0.07));
  check({ config, profile: withMetric(profile, id, { d: spread(0.12) }) }, slow(0.105));
});

const method = { policy: { estimator: "typical" } } as const;
const marginOf = (d: readonly number[], rounds: number, most = 10): number =>
  closestMargin({
    d,
    rounds,
    most,
    beta: 0.05,
    methodAt: (margin) => methodOf(method, { margin }),
  });

test("no margin falls as noise grows, or rises with the rounds", () => {
  const noise = fc.array(fc.double({ min: -0.3, max: 0.3, noNaN: true }), {
    minLength: 8,
    maxLength: 16,
  });
  fc.assert(
    fc.property(
      noise,
      fc.integer({ min: 5, max: 20 }),
      fc.double({ min: 1, max: 3, noNaN: true }),
      (d, rounds, more) => {
        const margin = marginOf(d, rounds);
        expect(
          marginOf(
            d.map((one) => more * one),
            rounds,
          ),
        ).toBeGreaterThanOrEqual(margin);
        expect(marginOf(d, rounds + 5)).toBeLessThanOrEqual(margin);
        expect(margin).toBeGreaterThanOrEqual(0.07);
      },
    ),
    { numRuns: 20 },
  );
});

test("four rounds show nothing, and what is closer already stays", () => {
  expect(marginOf(spread(0), 4, 0.3)).toBe(0.3);
  expect(marginOf(spread(0), 5, 0.3)).toBe(0.07);
  expect(marginOf(spread(0), 5, 0.05)).toBe(0.05);
});
