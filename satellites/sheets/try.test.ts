import { expect, test } from "vitest";
import { isAsConfigured } from "../../src/core/model/one-answer.ts";
import type { TriedService } from "../../src/core/model/try.ts";
import { checkGolden } from "../../test/support/golden.ts";
import { renderTry } from "./try.ts";

const API: TriedService = {
  name: "api",
  dir: "services/api",
  run: ["node", "server.mjs"],
  launch: { kind: "ready", told: { kind: "configured" }, port: 41234, startupMs: 312 },
  scenarios: [
    {
      name: "list",
      configuredRps: 200,
      answers: [
        {
          ...{ method: "GET", path: "/books", expected: 200 },
          ...{ status: 200, seen: '200 with the body "[]"' },
        },
      ],
      rate: { kind: "held", rps: 300, cpuUs: 1100 },
    },
    {
      name: "shop",
      configuredRps: 50,
      answers: [
        {
          ...{ method: "GET", path: "/cart", expected: 200 },
          ...{ status: 302, seen: "302 without a body" },
        },
        {
          ...{ method: "POST", path: "/cart", expected: 201 },
          ...{ status: null, seen: "no answer within 5000 ms" },
        },
      ],
      rate: { kind: "unsettled" },
    },
  ],
  asked: [
    { path: "/healthz", status: 404 },
    { path: "/openapi.json", status: null },
  ],
};
const WORKER: TriedService = {
  name: "worker",
  dir: ".",
  run: ["./worker", "--port", "{port}"],
  launch: {
    kind: "failed",
    text: "it ended with code 3 before it was ready",
    detail: "no licence\n\u001b[31mgood bye",
    next: "Correct it.",
  },
  scenarios: [],
  asked: [],
};

test("what was started, answered and held, and what was not", async () => {
  const text = renderTry(
    { schema: "tailgate.try.v1", services: [API, WORKER] },
    { width: 100, color: "never" },
  );
  await checkGolden("try/two-services.txt", text);
});

test("a service is as configured when it was ready and all its answers are the expected ones", () => {
  expect(isAsConfigured(API)).toBe(false);
  expect(isAsConfigured({ ...API, scenarios: API.scenarios.slice(0, 1) })).toBe(true);
  expect(isAsConfigured(WORKER)).toBe(false);
});
