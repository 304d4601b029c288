// What is asked of each arm before any load, in the first rounds, and how a wrong answer ends the
// run before it has begun.
import { expect, test } from "vitest";
import { type Case, perfect, run } from "../../../test/support/run.ts";
import { makeRequest } from "../../../test/support/samples.ts";

/** A generator that counts its calls: none may come before the answers are right. */
function counted(): { calls(): number; script: NonNullable<Case["script"]> } {
  let calls = 0;
  return {
    calls: () => calls,
    script: async ({ requests }) => {
      calls++;
      return perfect(requests, "200");
    },
  };
}

test("one answer of each arm is kept, in the first two rounds", async () => {
  for (const index of [0, 1, 2]) {
    const { script } = counted();
    const { round } = await run({ index, script, candidate: "heavy" });
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    const answer = { status: 200, contentType: null, bytes: 6, sha256: hash };
    const answers = round.scenarios[0]?.answers;
    expect(answers).toEqual(index === 2 ? undefined : { candidate: answer, reference: answer });
    if (index < 2) expect(answers?.candidate?.sha256).not.toBe(answers?.reference?.sha256);
    // Beside the load's one, and in the first round another that asks for compression.
    expect(round.launches?.candidate.requests).toBe(212 - index);
  }
});

test("the answers of the first round are told once, when every arm was asked", async () => {
  const told = async (input: Case): Promise<unknown[]> => {
    const { calls, script } = counted();
    const heard: unknown[] = [];
    const onAnswers: Case["onAnswers"] = (scenario, { candidate, reference }) =>
      heard.push([scenario, candidate?.status, reference?.status, calls()]);
    await run({ index: 0, seed: 1, script, onAnswers, ...input });
    return heard;
  };
  expect(await told({})).toEqual([["api/echo", 200, 200, 0]]);
  expect(await told({ scheme: "alternate" })).toEqual([["api/echo", 200, 200, 3]]);
  expect(await told({ index: 1 })).toEqual([]);
  expect(await told({ reference: "errors" })).toEqual([]);
});

/** Which arm the round starts first, by its seed. */
const SEED_OF = { reference: 1, candidate: 3 } as const;

test.for([
  ["sliced", "reference"],
  ["sliced", "candidate"],
  ["alternate", "reference"],
  ["alternate", "candidate"],
] as const)(
  "%s, %s first: a wrong answer ends the round, the reference's before the candidate's",
  async ([scheme, starts]) => {
    const cases = [
      { arm: "candidate", candidate: "errors" },
      { arm: "reference", reference: "errors" },
      { arm: "reference", candidate: "errors", reference: "errors" },
    ] as const;
    for (const { arm, ...arms } of cases) {
      const { calls, script } = counted();
      const seed = SEED_OF[starts];
      const { round, servers } = await run({ index: 0, seed, scheme, script, ...arms });
      expect(round.failure).toMatchObject({ kind: "answer", arm, scenario: "api/echo" });
      expect(round.failure?.text).toMatch(
        new RegExp(
          String.raw`^api \(${arm}\), echo: GET /echo got 500 with the body "hello\\n", expected 200; the service listens on 127\.0\.0\.1:\d+$`,
        ),
      );
      expect(round.scenarios[0]?.answers?.[arm]?.status).toBe(500);
      expect(servers).toBe(0);
      // One arm at a time, the first is loaded before the other is there to be asked.
      const isLoaded =
        scheme === "alternate" && starts !== arm && !("candidate" in arms && "reference" in arms);
      expect(calls()).toBe(isLoaded ? 3 : 0);
    }
  },
);

test("a wrong answer in a later round is the load's to count", async () => {
  const { round } = await run({ index: 1, candidate: "errors" });
  expect(round.failure).toBeNull();
  expect(round.scenarios[0]?.answers?.candidate?.status).toBe(500);
  expect(round.scenarios[0]?.slices.some(({ void: why }) => why?.rule === "status")).toBe(true);
});

test("of a pattern the generator draws the path, and nothing is kept", async () => {
  const request = makeRequest({ path: "/[a-z]", pathIsPattern: true });
  const { round } = await run({
    index: 0,
    scenario: { request },
    script: async ({ requests }) => perfect(requests, requests === 1 ? "404" : "200"),
  });
  expect(round.failure?.text).toMatch(/GET \/\[a-z\] got 404, expected 200/);
  expect(round.scenarios[0]?.answers).toBeUndefined();
});

test("answers that are compared as JSON are read, and where they differ is told", async () => {
  const { script } = counted();
  const ask = async (candidate: string, reference: string) => {
    const scenario = { answers: { ignore: ["id"] } };
    const { round } = await run({ index: 0, script, candidate, reference, scenario });
    const [entry] = round.scenarios;
    const { candidate: ours, reference: theirs } = entry?.answers ?? {};
    return { difference: entry?.difference, ours: ours?.json, theirs: theirs?.json };
  };
  const alike = await ask('{"id":1,"n":[1],"o":{}}', '{ "o":{}, "n":[1], "id":2 }');
  expect(alike.difference).toBeUndefined();
  expect(alike.ours).toMatch(/^[0-9a-f]{64}$/);
  expect(alike.ours).toBe(alike.theirs);
  const unlike = await ask('{"n":[1]}', '{"n":[2]}');
  expect(unlike.difference).toMatchObject({
    path: "n.0",
    candidate: { kind: "number", text: "1" },
  });
  expect(unlike.ours).not.toBe(unlike.theirs);
  expect(await ask("good", "{}")).toMatchObject({ difference: undefined, ours: null });
});

test("of a mix every part is asked, loaded and kept, and the whole is pooled", async () => {
  const mix = [
    { name: "a", weight: 3, request: makeRequest({ path: "/a" }), expectStatus: 200 },
    { name: "b", weight: 1, request: makeRequest({ path: "/b" }), expectStatus: 200 },
  ];
  const seen: string[] = [];
  const script: NonNullable<Case["script"]> = async ({ requests, scenario }) => {
    seen.push(scenario.request.path);
    const release = Float64Array.from({ length: requests }, (_, i) => (i * 1e6) / scenario.rateRps);
    const rows = { release, start: release, end: release.map((at) => at + 300) };
    return { kind: "done", rows, statuses: { 200: requests }, errors: {}, wallMs: 100 };
  };
  const { round } = await run({ index: 0, script, connections: 2, scenario: { mix } });
  expect(round.failure).toBeNull();
  expect(new Set(seen)).toEqual(new Set(["/a", "/b"]));
  const entries = round.scenarios.map(({ scenario, slices, answers, arms }) => ({
    scenario,
    scheduled: new Set(slices.map((slice) => slice.scheduled)),
    slices: slices.filter((slice) => slice.void === null).length,
    asked: answers?.candidate?.status,
    pooled: arms.candidate.pooled?.p99,
  }));
  const pooled = expect.closeTo(300, 0);
  expect(entries).toEqual([
    { scenario: "api/echo", scheduled: new Set([100]), slices: 4, asked: undefined, pooled },
    { scenario: "api/echo[a]", scheduled: new Set([75]), slices: 4, asked: 200, pooled },
    { scenario: "api/echo[b]", scheduled: new Set([25]), slices: 4, asked: 200, pooled },
  ]);
  const wrong = await run({ index: 0, script, candidate: "errors", scenario: { mix } });
  expect(wrong.round.failure).toMatchObject({ kind: "answer", scenario: "api/echo" });
  expect(wrong.round.failure?.text).toMatch(/echo\[a\]: GET \/a got 500/);
});

test("one that listens before it serves is asked until it does", async () => {
  const { script } = counted();
  const { round } = await run({ index: 0, script, candidate: "late", reference: "late" });
  expect(round.failure).toBeNull();
  const { candidate, reference } = round.scenarios[0]?.answers ?? {};
  expect([candidate?.status, reference?.status]).toEqual([200, 200]);
});

test.each([
  ["unready", 503],
  ["limited", 429],
])(
  "one that stays %s is told with how often it was asked, and for how long",
  async (kind, status) => {
    const { script, calls } = counted();
    const { round } = await run({ index: 0, script, reference: kind });
    expect(round.failure).toMatchObject({ kind: "answer", arm: "reference" });
    const seen = new RegExp(
      String.raw`GET /echo got ${status} with the body "not now\\n", the last of (\d+) times in (3\.\d) s, expected 200`,
    ).exec(round.failure?.text ?? "");
    expect(seen, round.failure?.text).not.toBeNull();
    expect(Number(seen?.[1])).toBeGreaterThan(20);
    expect(calls()).toBe(0);
  },
);

test.each([
  ["compresses", {}, true],
  ["good", {}, undefined],
  ["compresses", { "Accept-Encoding": "gzip" }, undefined],
] as const)(
  "whether %s answers compressed is known where %j does not ask for it",
  async (kind, headers, expected) => {
    const { script } = counted();
    const request = makeRequest({ path: "/echo", headers });
    const { round } = await run({ index: 0, script, candidate: kind, scenario: { request } });
    expect(round.failure).toBeNull();
    expect(round.scenarios[0]?.answers?.candidate?.couldCompress).toBe(expected);
  },
);
