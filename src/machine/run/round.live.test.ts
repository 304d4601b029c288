// A whole round, as it should go and as it should end when something breaks.
import { expect, test } from "vitest";
import {
  type Case,
  expectMeasured,
  PAIRS,
  perfect,
  quietCounters,
  run,
  servers,
} from "../../../test/support/run.ts";
import { isDisturbed } from "../../core/slice/disturbance.ts";
import type { ProcStat } from "../host/parse-proc.ts";
import { systemClock } from "../sys/clock.ts";

test("both arms are measured and nothing is left running", async () => {
  const { round, servers } = await run({});
  expectMeasured(round);
  expect(round).toMatchObject({ service: "api", index: 4 });
  expect(servers).toBe(0);
});

test("many connections share out what the launch has grown by", async () => {
  const { round } = await run({ connections: 1000 });
  expect(round.failure).toBeNull();
  for (const launch of [round.launches?.candidate, round.launches?.reference]) {
    const { rssPeak = 0, rssIdle = 0, rssPerConnection = 0 } = launch?.values ?? {};
    expect(rssPerConnection).toBeGreaterThan(0);
    expect(rssPerConnection * 1000).toBeCloseTo(rssPeak - rssIdle, 3);
  }
});

for (const scheme of ["sliced", "alternate"] as const) {
  test(`${scheme}: memory is read after as many requests as are wanted`, async () => {
    const sent: number[] = [];
    const { round } = await run({
      scheme,
      memoryRequests: 1000,
      onSend: ({ requests }) => sent.push(requests),
    });
    expect(round.failure).toBeNull();
    // Two slices of a hundred go between.
    const [warmUp, rest] = [10, 790];
    expect(sent).toEqual(
      scheme === "sliced" ? [warmUp, warmUp, rest, rest] : [warmUp, rest, warmUp, rest],
    );
    for (const launch of [round.launches?.candidate, round.launches?.reference]) {
      expect(launch?.requests).toBe(1000);
      expect(launch?.warm).toMatchObject({ requests: 10 });
      expect(launch?.warm?.rss).toBeGreaterThan(10_000_000);
    }
  });
}

test("where memory is decided it is not read, and nothing is sent for it", async () => {
  const sent: number[] = [];
  const { round } = await run({
    memoryRequests: 1000,
    readsMemory: false,
    onSend: ({ requests }) => sent.push(requests),
  });
  expect(round.failure).toBeNull();
  expect(sent).toEqual([10, 10]);
  const { requests, warm, values } = round.launches?.candidate ?? {};
  expect(requests).toBe(10 + PAIRS * 100);
  expect(warm).toBeUndefined();
  for (const metric of ["rss", "rssPeak", "anon", "pss"] as const) {
    expect(values?.[metric], metric).toBeUndefined();
  }
  expect(values?.startup).toBeGreaterThan(5);
  expect(values?.cpuPer1k).toBeDefined();
});

test("idle memory that is judged is read before the first request", async () => {
  for (const scheme of ["sliced", "alternate"] as const) {
    const { round, servers } = await run({ scheme, settlesIdle: true, index: 0 });
    // It is asked once, and once whether it could compress.
    expectMeasured(round, 2);
    expect(servers).toBe(0);
  }
});

test("one arm at a time, for a service that cannot run twice", async () => {
  const { round, servers } = await run({ scheme: "alternate" });
  expectMeasured(round);
  expect(servers).toBe(0);
});

test("one arm at a time: what one was loaded more with, its memory is not judged by", async () => {
  const { round } = await run({
    scheme: "alternate",
    script: async (request, call) =>
      // Call 0 is the warm-up of the arm that is first, 1 its first slice.
      call === 1
        ? { kind: "failed", text: "oha was ended by SIGKILL", detail: "" }
        : perfect(request.requests, "200"),
  });
  expect(round.failure).toBeNull();
  expect(round.scenarios[0]?.arms.candidate.pooled?.requests).toBe(PAIRS * 80);
  const launches = [round.launches?.candidate, round.launches?.reference];
  expect(launches.map((launch) => launch?.requests).sort()).toEqual([210, 310]);
  for (const launch of launches) {
    expect(Object.keys(launch?.values ?? {}).sort()).toEqual(["rssIdle", "startup"]);
  }
});

test("one arm at a time: workers that a service starts under load are no disturbance", async () => {
  const known: (readonly number[])[] = [];
  const { round } = await run({
    scheme: "alternate",
    candidate: "daemons",
    reference: "daemons",
    readCounters: (cpuSets, users, nowMs) => {
      known.push(users.service);
      return quietCounters(cpuSets, users, nowMs);
    },
  });
  expect(round.failure).toBeNull();
  // Two readings a slice, and one before and after all of an arm's, which counts the arm before it
  // too; by the arm's second slice it has a group more than in its first.
  expect(known.map((processGroupIds) => processGroupIds.length)).toEqual([
    ...[1, 1, 1, 2, 2, 2],
    ...[2, 1, 1, 2, 2, 3],
  ]);
});

test("workers that end after some requests, and are followed by others, are no service that is gone", async () => {
  const { round } = await run({ candidate: "recycles", reference: "recycles" });
  expect(round.failure).toBeNull();
  expect(round.scenarios[0]?.slices.map((slice) => slice.void)).toEqual(
    Array(2 * PAIRS).fill(null),
  );
  expect(round.launches?.candidate.values.pss).toBeGreaterThan(0);
});

test("only the loaded arm can run", async () => {
  const states: string[] = [];
  await run({
    script: async (request) => {
      states.push(
        servers()
          .map(({ state }) => (state === "T" ? "frozen" : "free"))
          .sort()
          .join(" "),
      );
      return perfect(request.requests, "200");
    },
  });
  expect(new Set(states)).toEqual(new Set(["free frozen"]));
});

interface Broken extends Case {
  kind: string;
  text: RegExp;
  detail?: string;
}

async function checkBroken({ kind, text, detail, ...input }: Broken): Promise<void> {
  const { round, servers } = await run(input);
  expect(round.failure).toMatchObject({ kind });
  expect(round.failure?.text).toMatch(text);
  expect(round.failure?.text).toContain("round 5");
  if (detail !== undefined) expect(round.failure?.detail).toContain(detail);
  expect(servers).toBe(0);
}

test("a service that ends before it is ready", () =>
  checkBroken({
    reference: "exits",
    kind: "start",
    text: /^api \(reference\) ended with code 3 before it was ready/,
    detail: "no configuration found",
  }));

test("a service that is never ready", () =>
  checkBroken({
    candidate: "never-ready",
    kind: "not-ready",
    text: /^api \(candidate\) was not ready within 3 s: GET \/healthz answered 503/,
  }));

test("no arm is to blame for a start that is longer than the time budget", async () => {
  const { round } = await run({ candidate: "never-ready", timeBudgetMs: 1500 });
  expect(round.failure).toMatchObject({
    kind: "not-ready",
    arm: null,
    text: "api (candidate) was not ready within 1.5 s, all that the time budget gives: GET /healthz answered 503, expected 2xx, in round 5",
  });
});

test("a service that dies under load", () =>
  checkBroken({
    candidate: "dies",
    kind: "crash",
    text: /^api \(candidate\) exited with code 7 .*during (warm-up of )?api\/echo/,
    detail: "out of cheese",
  }));

test("a generator that cannot be used", () =>
  checkBroken({
    script: async () => ({ kind: "failed", text: "oha exited with 1", detail: "no such flag" }),
    kind: "generator",
    text: /^oha exited with 1 .*warm-up of api\/echo/,
    detail: "no such flag",
  }));

/** From the call on that is given. */
const tooSlow =
  (from: number): NonNullable<Case["script"]> =>
  async ({ requests }, call) =>
    call < from
      ? perfect(requests, "200")
      : { kind: "failed", text: "oha did not end", detail: "", tookMs: 35_000 };

test("a service too slow for its warm-up", () =>
  checkBroken({
    script: tooSlow(0),
    kind: "slow",
    text: /^api \((candidate|reference)\) did not answer 10 requests within 35 s \(fewer than 0\.29\/s\) in round 5, during warm-up of api\/echo: lower `rate` \(1000\/s\) or `warmup`$/,
  }));

test("a service too slow for a slice, in three tries", () =>
  checkBroken({
    script: tooSlow(2),
    kind: "slow",
    text: /^api \((candidate|reference)\) did not answer 100 requests within 35 s \(fewer than 2\.9\/s\) in round 5, during api\/echo: lower `rate` \(1000\/s\)$/,
  }));

test.for([
  { timeBudgetMs: 60_000, isOver: false },
  { timeBudgetMs: 5000, isOver: true },
])(
  "a service that hangs is tried again while there is time: %o",
  async ({ timeBudgetMs, isOver }) => {
    let slices = 0;
    const { round } = await run({
      timeBudgetMs,
      scenario: { warmupRequests: 0 },
      script: async (request, call) => {
        slices += 1;
        if (isOver && call === 0) await systemClock.sleep(timeBudgetMs);
        return tooSlow(0)(request, call);
      },
    });
    expect(round.failure?.kind).toBe("slow");
    // Both arms of a pair. A pair that is tried again comes after the others.
    expect(slices).toBe(isOver ? 2 : 2 * (2 * PAIRS + 1));
  },
);

test("a service too slow for the requests before its memory is read", () =>
  checkBroken({
    memoryRequests: 1000,
    // Two warm-ups and the slices go before.
    script: tooSlow(2 + 2 * PAIRS),
    kind: "slow",
    text: /^api \((candidate|reference)\) did not answer 790 requests within 35 s \(fewer than 23\/s\) in round 5, before memory is read, with requests of api\/echo: lower `rate` \(1000\/s\) or `memory.requests`$/,
  }));

test("a service that does not heed its signal is ended after its grace, and told of", async () => {
  const killed: unknown[] = [];
  const onKilled = (stop: unknown): void => void killed.push(stop);
  const { round, servers } = await run({
    candidate: "stubborn",
    reference: "stubborn",
    onKilled,
  });
  expectMeasured(round);
  expect(servers).toBe(0);
  expect(killed).toEqual([{ signal: "SIGTERM", graceMs: 300 }]);

  await run({ onKilled });
  expect(killed).toHaveLength(1);
});

test("wrong answers void slices, with a pair measured three times and the scenario given up", async () => {
  const { round } = await run({ candidate: "errors" });
  const [entry] = round.scenarios;
  expect(round.failure).toBeNull();
  expect(entry?.arms.candidate.pooled).toBeNull();
  expect(entry?.arms.reference?.pooled).toBeNull();
  const ofCandidate = entry?.slices.filter(({ arm }) => arm === "candidate") ?? [];
  const candidate = ofCandidate.filter(({ pair }) => pair === 0);
  expect(candidate.map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
  expect(candidate.map((slice) => slice.void?.rule)).toEqual(["status", "status", "status"]);
  expect(candidate[0]?.void?.detail).toBe("100 of 100 answers were not 200 (100 × 500), 0 allowed");
});

test("a generator that fails each time ends the round", () =>
  checkBroken({
    script: async (request, call) =>
      call < 2
        ? perfect(request.requests, "200")
        : { kind: "failed", text: "oha was ended by SIGKILL", detail: "out of memory" },
    kind: "generator",
    text: /^oha was ended by SIGKILL in round 5, during api\/echo$/,
    detail: "out of memory",
  }));

test("the slice in which a service died is kept", async () => {
  let victim: ProcStat | undefined;
  const { round } = await run({
    script: async (request, call) => {
      if (call === 3) {
        victim = servers().find(({ state }) => state !== "T");
        process.kill(victim?.pid ?? 0, "SIGKILL");
        await systemClock.sleep(200);
      }
      return perfect(request.requests, "200");
    },
  });
  expect(round.failure?.text).toMatch(/was ended by SIGKILL in round 5, during api\/echo$/);
  const slices = round.scenarios[0]?.slices ?? [];
  expect(slices.map((slice) => slice.void?.rule ?? null)).toEqual([null, "service-gone"]);
});

/** Rounds in which the host disturbs these slices, by their number. */
function runDisturbed(...disturbed: readonly number[]) {
  let readings = 0;
  return run({
    // One reading before all slices, and two a slice; the second one of a disturbed slice finds its
    // CPU used up.
    readCounters: (cpuSets, pids, nowMs) => {
      const counters = quietCounters(cpuSets, pids, nowMs);
      const reading = readings++ - 1;
      const isEnd = reading % 2 === 1;
      const slice = Math.floor(reading / 2);
      const isUsed = isEnd && disturbed.includes(slice);
      return isUsed ? { ...counters, idleMs: counters.idleMs - 1000 } : counters;
    },
  });
}

test("slow moments of a CPU are known for the slices that they fell on", async () => {
  let readings = 0;
  const { round } = await run({
    readCounters: (cpuSets, users, nowMs) => ({
      ...quietCounters(cpuSets, users, nowMs),
      slow: [
        { cpu: 1, fromMs: 0, toMs: 1, lost: 0.9 },
        // From the second slice on: one reading comes before all, and two with each.
        ...(readings++ < 3 ? [] : [{ cpu: 0, fromMs: nowMs - 1, toMs: nowMs + 1e6, lost: 0.5 }]),
      ],
    }),
  });
  const slowed = round.scenarios[0]?.slices.map(({ host }) => host.slowed ?? -1) ?? [];
  expect(slowed[0]).toBe(0);
  expect(slowed.slice(1).every((share) => share > 0 && share <= 0.5)).toBe(true);
  // Where nobody tells, it is not known.
  const { round: untold } = await run({});
  expect(untold.scenarios[0]?.slices.map(({ host }) => host.slowed)).toEqual(
    slowed.map(() => undefined),
  );
});

test("what the host disturbs is measured once, and counts", async () => {
  const { round } = await runDisturbed(0, 3);
  const [entry] = round.scenarios;
  expect(entry?.slices.map(({ pair, attempt }) => [pair, attempt])).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [1, 0],
  ]);
  expect(entry?.slices.map((slice) => slice.void)).toEqual([null, null, null, null]);
  expect(entry?.slices.map(isDisturbed)).toEqual([true, false, false, true]);
  expect(entry?.arms.candidate.pooled?.requests).toBe(PAIRS * 80);
  expect(entry?.arms.reference?.pooled?.requests).toBe(PAIRS * 80);
});

test("a pair with one void slice is measured again as a whole, after the others", async () => {
  const { round } = await run({
    script: async (request, call) =>
      // Calls 0 and 1 are the warm-ups, 2 is the first slice.
      call === 2
        ? { kind: "failed", text: "oha was ended by SIGKILL", detail: "" }
        : perfect(request.requests, "200"),
  });
  const slices = round.scenarios[0]?.slices ?? [];
  expect(slices[0]?.void?.rule).toBe("generator-failed");
  expect(slices.map(({ pair, attempt }) => [pair, attempt])).toEqual(
    [
      [0, 0],
      [1, 0],
      [0, 1],
    ].flatMap((one) => [one, one]),
  );
  expect(round.scenarios[0]?.arms.candidate.pooled?.requests).toBe(PAIRS * 80);
});

test("a signal ends the round, running or frozen services included", async () => {
  const abort = new AbortController();
  const { round, servers } = await run({
    abort,
    script: async (request) => {
      abort.abort();
      return perfect(request.requests, "200");
    },
  });
  expect(round.failure).toBeNull();
  expect(round.launches).toBeNull();
  expect(servers).toBe(0);
});
