// What is asked of a bisection, and what git prints for it.
import { expect, test } from "vitest";
import type { MetricPolicy } from "../../src/core/model/config.ts";
import { makeConfig } from "../../test/support/samples.ts";
import { chooseQuestions, chooseService, linesIn, parseRange } from "./ask.ts";

test.each([
  ["v1.2..main", ["v1.2", "main"]],
  ["HEAD~20..", ["HEAD~20", "HEAD"]],
  ["v1...main", null],
  ["v1..main..next", null],
  ["..main", null],
  ["main", null],
])("range %s", (range, ends) => {
  if (ends === null) expect(() => parseRange(range)).toThrow(/expected a good and a bad commit/);
  else expect(parseRange(range)).toEqual(ends);
});

test("lines are counted of a service's own files, and a binary file as one", () => {
  const numstat =
    "3\t4\tapi/a.go\0-\t-\tapi/a.png\x080\t0\tother/a\tb.go\0" + "0\t0\tapi/mode.sh\0";
  expect(linesIn(numstat, (path) => path.startsWith("api/"))).toBe(9);
  expect(linesIn("", () => true)).toBe(0);
});

test("of two p99s the first is asked, and other metrics only by name", () => {
  const question = (id: string, metric: MetricPolicy["metric"], scenario: string | null) => ({
    id,
    service: "api",
    scenario,
    policy: { metric } as MetricPolicy,
  });
  const all = [
    question("typical", "p99", "api/a"),
    question("pooled", "p99", "api/a"),
    question("other", "p99", "api/b"),
    question("slow", "slow", "api/a"),
    question("rss", "rss", null),
  ];
  const ids = (metric: string | null) => chooseQuestions(all, { metric }).map(({ id }) => id);
  expect(ids(null)).toEqual(["typical", "other", "rss"]);
  expect(ids("rss")).toEqual(["rss"]);
  expect(() => ids("cpuPer1k")).toThrow("no cpuPer1k is gated here");
});

test("one service, by itself or by its scenario", () => {
  const { services, scenarios } = makeConfig();
  const [service] = services;
  const [scenario] = scenarios;
  if (service === undefined || scenario === undefined) throw new Error("it has one of each");
  const other = { ...service, name: "web" };
  const two = {
    services: [service, other],
    scenarios: [scenario, { ...scenario, id: "web/x", name: "x", service: "web" }],
  };
  expect(() => chooseService(two, { scenario: null })).toThrow(/one service at a time/);
  expect(chooseService(two, { scenario: "x" }).service.name).toBe("web");
  expect(chooseService(two, { scenario: scenario.id }).service.name).toBe(service.name);
  expect(() => chooseService(two, { scenario: "y" })).toThrow(/no such scenario/);
});
