// The fake GitHub itself, spoken to by plain requests: what the client would never send, and the
// ways to steer it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { description } from "./description.ts";
import { ROUTES, startFakeGitHub } from "./server.ts";
import { FORK_SHA, READ_TOKEN, SEED, WRITE_TOKEN } from "./testing.ts";

interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

async function ask(url: string, init: RequestInit & { token?: string } = {}): Promise<Answer> {
  const { token = WRITE_TOKEN, ...rest } = init;
  const headers = {
    ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    ...rest.headers,
  };
  const response = await fetch(url, { ...rest, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === "" ? null : JSON.parse(text),
  };
}

const REPOSITORY = "/repos/acme/app";

test("a request that the description forbids is refused and remembered", async () => {
  const fake = await startFakeGitHub({ seed: SEED });
  const init = { method: "POST", body: JSON.stringify({ text: "no body" }) };
  const headers = { "content-type": "application/json" };
  const answer = await ask(`${fake.url}${REPOSITORY}/issues/42/comments`, { ...init, headers });
  expect(answer.status).toBe(422);
  expect(fake.problems()).toEqual([
    "POST /repos/acme/app/issues/42/comments: request /requestBody: must have required property 'body'",
  ]);
  await fake.close();
});

test("an answer that the description forbids is found", async () => {
  const known = { number: 42, title: "t", head: {}, base: {}, user: { login: "x" } };
  const whole = description.fill("pulls/update", 200, known);
  expect(description.answerProblems("pulls/update", 200, whole)).toEqual([]);
  const wrong = { ...(whole as object), number: "42" };
  expect(description.answerProblems("pulls/update", 200, wrong)).toHaveLength(1);
  expect(description.answerProblems("pulls/update", 299, whole)).toHaveLength(1);
});

test("every route is in the description", async () => {
  const file = join(import.meta.dirname, "fixtures/openapi.json");
  const { paths } = JSON.parse(await readFile(file, "utf8"));
  for (const { method, path, operation } of ROUTES) {
    expect(paths[path][method.toLowerCase()].operationId).toBe(operation);
  }
  expect(description.answerProblems("repos/get", 200, {})).not.toEqual([]);
});

test("refusals are GitHub's own", async () => {
  const fake = await startFakeGitHub({ seed: SEED });
  const none = await ask(`${fake.url}${REPOSITORY}/pulls/42`, { token: "" });
  expect([none.status, none.body]).toEqual([401, { message: "Requires authentication" }]);
  const bad = await ask(`${fake.url}${REPOSITORY}/pulls/42`, { token: "nonsense" });
  expect([bad.status, bad.body]).toEqual([401, { message: "Bad credentials" }]);
  const init = { method: "POST", body: JSON.stringify({ body: "x" }), token: READ_TOKEN };
  const read = await ask(`${fake.url}${REPOSITORY}/issues/42/comments`, init);
  expect([read.status, read.body]).toEqual([
    403,
    { message: "Resource not accessible by integration" },
  ]);
  expect(read.headers.get("x-accepted-github-permissions")).toBe("pull_requests=write");
  const elsewhere = await ask(`${fake.url}/repos/other/app/pulls/42`);
  expect(elsewhere.status).toBe(404);
  await fake.close();
});

test("limits of size are GitHub's own", async () => {
  const fake = await startFakeGitHub({ seed: SEED });
  const post = (path: string, body: unknown) =>
    ask(`${fake.url}${REPOSITORY}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const comment = await post("/issues/42/comments", { body: "x".repeat(65_537) });
  expect(comment.status).toBe(422);
  expect(JSON.stringify(comment.body)).toContain("body is too long (maximum is 65536 characters)");
  const status = { state: "success", context: "c", description: "x".repeat(141) };
  const refused = await post(`/statuses/${FORK_SHA}`, status);
  expect(JSON.stringify(refused.body)).toContain("maximum is 140 characters");
  await fake.close();
});

test("the store behind an artifact takes no token, and nothing without a signature", async () => {
  const fake = await startFakeGitHub({ seed: SEED });
  const blob = `${fake.url}/_blob/601`;
  expect((await fetch(`${blob}?sig=x`)).status).toBe(200);
  expect((await fetch(blob)).status).toBe(403);
  const headers = { authorization: `Bearer ${WRITE_TOKEN}` };
  expect((await fetch(`${blob}?sig=x`, { headers })).status).toBe(403);
  await fake.close();
});
