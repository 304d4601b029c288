// When an answer can come, of the configurations that people begin with; and the refusal of those
// that leave it no time.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FIRST, NO_GATES, parse } from "../../../test/support/configurations.ts";
import { makeConfig } from "../../../test/support/samples.ts";
import { UserError } from "../../core/base/errors.ts";
import { roundTime } from "../../core/plan/round-time.ts";
import { configFromText } from "../config/load.ts";
import { refuseTooLittleTime, timeToAnswer } from "./time-to-answer.ts";

const ROOT = join(import.meta.dirname, "../../..");

function minutesOf(text: string) {
  const time = timeToAnswer(parse(text));
  if (time === null) throw new Error("nothing is gated");
  return time.minutes;
}

test("the services of the quick start can be red within three minutes", () => {
  const page = readFileSync(join(ROOT, "docs/quick-start.md"), "utf8");
  const proposals = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = ""]) => yaml);
  expect(proposals).toHaveLength(3);
  for (const yaml of proposals) expect(minutesOf(yaml).regress, yaml).toBeLessThan(3);
});

test("five hundred scenarios are refused with the time that they need", () => {
  const scenarios = Array.from(
    { length: 500 },
    (_, i) => `  s${i}: { request: GET /${i}, rate: 500/s }\n`,
  );
  const config = parse(FIRST.replace(/ {2}echo:[\s\S]*$/, scenarios.join("")));
  expect(() => refuseTooLittleTime(config)).toThrow(/\d+ (?:min|h)/);
});

test("one to three scenarios at any usual rate fit into the time budget", () => {
  for (const rate of [10, 50, 200, 1000]) {
    for (const count of [1, 2, 3]) {
      const scenarios = Array.from(
        { length: count },
        (_, i) => `  s${i}: { request: GET /${i}, rate: ${rate}/s }\n`,
      );
      const text = FIRST.replace(/ {2}echo:[\s\S]*$/, scenarios.join(""));
      expect(minutesOf(text).regress, `${count} at ${rate}/s`).toBeLessThan(14);
      expect(() => refuseTooLittleTime(parse(text))).not.toThrow();
    }
  }
});

test.each(["tailgate.yml", "services/tailgate.full.yml"])("this repository's %s fits", (file) => {
  const text = readFileSync(join(ROOT, file), "utf8");
  const config = configFromText(text, file, ROOT);
  expect(() => refuseTooLittleTime(config)).not.toThrow();
});

function refusal(text: string, run: Parameters<typeof refuseTooLittleTime>[1] = {}) {
  try {
    refuseTooLittleTime(parse(text), run);
    return null;
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

test("too little time is refused, with what to write", () => {
  const long = `${FIRST}    slice: { duration: 15s, pairs: 4 }\n  short: { request: GET /, rate: 1000/s }\n`;
  const error = refusal(long, { detail: "the plan" });
  expect(error).toMatchObject({ kind: "usage", detail: "the plan" });
  expect(error?.message).toMatch(
    /^\d+ rounds, the fewest for a regression, take 2\d\.\d minutes, more than the time budget of 15m$/,
  );
  expect(error?.next).toMatch(/write `policy: \{ timeBudget: 50m \}`.*of the scenario echo,/);
  // On three machines a third of the rounds is enough.
  expect(() => refuseTooLittleTime(parse(long), { shards: 3 })).not.toThrow();
  const none = refusal(`${FIRST}policy: { timeBudget: 5s }\n`);
  expect(none?.message).toMatch(
    /^1\d rounds, the fewest for a regression, take \d\.\d minutes, more .* 5s$/,
  );
});

test("what a refusal advises is enough, whichever answer takes longest", () => {
  for (const [beta, what] of [
    ["5%", "a regression"],
    ["0.0001%", "a pass"],
  ]) {
    const withBudget = (budget = "5s") =>
      refusal(`${FIRST}policy: { timeBudget: ${budget}, beta: ${beta} }\n`);
    const { message, next } = withBudget() ?? {};
    expect(message).toContain(`the fewest for ${what}, take`);
    expect(withBudget(/timeBudget: (\S+)/.exec(next ?? "")?.[1])).toBeNull();
  }
});

test("shorter slices are not advised where it is the warm-up that takes the time", () => {
  const slow = refusal(`${FIRST}    warmup: 1000000\n`);
  expect(slow?.next).toMatch(/^In tailgate.yml write `policy: \{ timeBudget: \S+ \}`\.$/);
});

test("where nothing is gated there is nothing to wait for", () => {
  const text = `${FIRST}metrics: ${NO_GATES}\npolicy: { timeBudget: 1s }\n`;
  expect(timeToAnswer(parse(text))).toBeNull();
  expect(refusal(text)).toBeNull();
});

test("a turn has a round of each service", () => {
  const config = makeConfig();
  const [service] = config.services;
  if (service === undefined) throw new Error("no service");
  const { loadMs, otherMs } = roundTime(service, config.scenarios);
  const both = {
    ...config,
    services: [service, { ...service, name: "other" }],
    scenarios: config.scenarios.flatMap((one) => [one, { ...one, service: "other" }]),
  };
  expect(timeToAnswer(config)?.turn).toEqual({ loadMs, otherMs });
  expect(timeToAnswer(both)?.turn).toEqual({ loadMs: 2 * loadMs, otherMs: 2 * otherMs });
});

test("where nothing but a limit is gated, that is what takes time", () => {
  const text = `${FIRST}metrics: ${NO_GATES}
`;
  expect(timeToAnswer(parse(text))).toBeNull();
  const held = text.replace("metrics: {", 'metrics: {"anon":{"max":"200MiB"},');
  expect(timeToAnswer(parse(held))?.rounds).toEqual({ pass: 5, regress: 8 });
});
