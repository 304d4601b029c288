import { expect, test } from "vitest";
import { describeKilled } from "./measure-rounds.ts";

test.each([
  {
    stop: { signal: "SIGTERM", graceMs: 5000 } as const,
    says: "api did not end within 5s of SIGTERM and was killed; every stop waits that long: let it end at SIGTERM, or write `stop: { signal: SIGINT }` or `stop: { grace: 100ms }` in tailgate.yml",
  },
  {
    stop: { signal: "SIGINT", graceMs: 1500 } as const,
    says: "api did not end within 1500ms of SIGINT and was killed; every stop waits that long: let it end at SIGINT, or write `stop: { signal: SIGTERM }` or `stop: { grace: 100ms }` in tailgate.yml",
  },
])("a service that outlasts $stop.signal: what to write", ({ stop, says }) => {
  expect(describeKilled("api", stop)).toBe(says);
});
