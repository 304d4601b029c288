// The loop without processes: rounds come from made-up samples, time from the test.
import { expect, test } from "vitest";
import { NIGHTS, recorded } from "../../../test/support/baseline-update-cases.ts";
import {
  beBusy,
  makePolicy,
  makeSamples,
  type SamplesRecipe,
} from "../../../test/support/samples.ts";
import { ONE_IN_500, type Plan, plantWrong, wrongOf } from "../../../test/support/wrong-answers.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { HistoryRecord } from "../../core/model/history.ts";
import { wholeRoundsOf } from "../../core/model/parts.ts";
import type { RunEnd, Samples } from "../../core/model/samples.ts";
import { describeVerdict } from "../../core/report/words/verdict.ts";
import { judge } from "../../core/verdict/judge.ts";
import { type Goal, rotate, type ScreenLimits } from "./rotation.ts";
import { describeTurn } from "./turn.ts";

interface Situation {
  recipe?: Partial<SamplesRecipe>;
  baselines?: readonly Baseline[];
  history?: readonly HistoryRecord[];
  screen?: ScreenLimits;
  /** Of one round. */
  roundMs?: number;
  change?(samples: Samples): void;
  /** Aborted while this round is measured. */
  stopInRound?: number;
}

interface Rotated {
  samples: Samples;
  kept: number;
  /** Of each round, whether memory was to be read. */
  memoryRead: boolean[];
  /** Of each round, the scenarios by name. */
  loaded: string[];
  /** Of each turn, what is told. */
  lines: string[];
}

async function rotated(situation: Situation): Promise<Rotated> {
  const { roundMs = 1000, screen } = situation;
  const recipe = { rounds: 80, noise: 0.03, state: "running", ...situation.recipe } as const;
  const source = makeSamples(recipe);
  situation.change?.(source);
  const abort = new AbortController();
  let measured = 0;
  let kept = 0;
  const memoryRead: boolean[] = [];
  const loaded: string[] = [];
  const lines: string[] = [];
  const goal: Goal =
    screen === undefined ? { kind: "answers" } : { kind: "screen", limits: screen };
  const elapsedMs = (): number => measured * roundMs;
  const samples = await rotate({
    samples: { ...source, rounds: [], run: { ...source.run, ended: "running" } },
    baselines: situation.baselines ?? [],
    history: situation.history ?? NIGHTS,
    elapsedMs,
    abort: abort.signal,
    keep: () => kept++,
    onTurn: (state) => lines.push(describeTurn(state, elapsedMs(), goal)),
    goal,
    runOne: async ({ index, readsMemory }, scenarios) => {
      memoryRead.push(readsMemory);
      loaded.push(scenarios.map(({ name }) => name).join(" "));
      const round = source.rounds[index];
      if (round === undefined) throw new Error(`round ${index} was not made up`);
      measured++;
      if (situation.stopInRound === index) abort.abort();
      const ids = new Set(scenarios.map(({ id }) => id));
      return { ...round, scenarios: round.scenarios.filter(({ scenario }) => ids.has(scenario)) };
    },
  });
  return { samples, kept, memoryRead, loaded, lines };
}

test("a run continues until every hypothesis is decided, and saves every round", async () => {
  const { samples, kept } = await rotated({});
  expect(samples.run).toMatchObject({ state: "complete", ended: "answered" });
  expect(samples.rounds.length).toBeGreaterThanOrEqual(5);
  expect(samples.rounds.length).toBeLessThan(20);
  expect(kept).toBe(samples.rounds.length + 1);
});

/** A shard of so many, of a run of `api` alone. */
const asShard = (part: number, parts: number, continuedAfter?: number[]) => (samples: Samples) => {
  const shard = { index: part + 1, of: parts, part, parts };
  Object.assign(samples.run, { shard, continuedAfter });
};

/** The verdict on all their rounds. */
function togetherOf(shards: readonly Rotated[]): string {
  const [first] = shards;
  if (first === undefined) throw new Error("no shard");
  const { samples } = first;
  const rounds = shards.flatMap((one) => one.samples.rounds);
  rounds.sort((a, b) => a.index - b.index);
  const run = { ...samples.run, shard: undefined };
  return judge({ samples: { ...samples, run, rounds }, baselines: [] }).state;
}

test("a shard measures its part of the rounds, until it has its share of every answer", async () => {
  const one = await rotated({});
  const parts = [0, 1, 2];
  const shards = await Promise.all(parts.map((part) => rotated({ change: asShard(part, 3) })));
  for (const [part, { samples, lines }] of shards.entries()) {
    expect(samples.run).toMatchObject({ state: "complete", ended: "share" });
    expect(samples.rounds.length).toBeLessThan(one.samples.rounds.length);
    expect(samples.rounds.map(({ index }) => index)).toEqual(
      samples.rounds.map((_, k) => part + 3 * k),
    );
    expect(judge({ samples, baselines: [] }).state).toBe("inconclusive");
    expect(lines.at(-1)).toContain("5 of 5 questions have their share of rounds");
  }
  const [first] = shards;
  expect(togetherOf(shards)).toBe("pass");
  // Resumed, it asks for as much as if there were one shard fewer.
  const again = await rotated({ change: asShard(0, 3, [2]) });
  expect(again.samples.rounds.length).toBeGreaterThan(first?.samples.rounds.length ?? 99);
});

test("shards of a regression end with their share of it, before one machine would have proven it", async () => {
  const recipe = { p99Ratio: { "api/echo": 1.5 }, rounds: 160 };
  const one = await rotated({ recipe });
  const shards = await Promise.all(
    [0, 1, 2].map((part) => rotated({ recipe, change: asShard(part, 3) })),
  );
  for (const { samples } of shards) {
    expect(samples.run.ended).toBe("share");
    expect(samples.rounds.length).toBeLessThan(one.samples.rounds.length);
  }
  expect(togetherOf(shards)).toBe("regressed");
  // So that one may be lost.
  expect(togetherOf(shards.slice(1))).toBe("regressed");
});

test("a proven regression ends a run, unless answerAll is set", async () => {
  const recipe = { p99Ratio: { "api/echo": 2 }, noise: 0.15, rounds: 160 };
  const first = await rotated({ recipe });
  expect(first.samples.run).toMatchObject({ state: "complete", ended: "regressed" });
  const all = await rotated({
    recipe,
    change: ({ config }) => {
      config.policy.answerAll = true;
    },
  });
  expect(all.samples.run.ended).toBe("answered");
  expect(all.samples.rounds.length).toBeGreaterThan(first.samples.rounds.length);
});

const BOTH = "echo hello";

test.each<[string, Plan, RunEnd, string[]]>([
  [
    "the candidate's are measured until they are proven",
    wrongOf("candidate"),
    "regressed",
    Array(11).fill(BOTH),
  ],
  [
    "those of both arms are given up",
    () => ONE_IN_500,
    "failed",
    [...Array(4).fill(BOTH), ...Array(5).fill("hello")],
  ],
  [
    "the reference's are given up",
    wrongOf("reference"),
    "failed",
    [...Array(4).fill(BOTH), ...Array(5).fill("hello")],
  ],
])("of wrong answers %s", async (_, plan, ended, expected) => {
  const change = (source: Samples): void => plantWrong(source, plan);
  const { samples, loaded } = await rotated({ change });
  expect(samples.run.ended).toBe(ended);
  expect(loaded).toEqual(expected);
});

test("a hypothesis that no number of rounds would decide is given up", async () => {
  const change = ({ config }: Samples): void => {
    for (const metric of config.policy.metrics) metric.floor = 0.25;
  };
  const recipe = { rounds: 160, noise: 3 };
  const { samples, lines } = await rotated({ recipe, change });
  expect(samples.run).toMatchObject({ state: "complete", ended: "answered" });
  expect(samples.rounds).toHaveLength(150);
  // Given up is not answered.
  const { comparisons } = judge({ samples, baselines: [] });
  const answered = comparisons.filter(({ level, state }) => level === "gate" && state === "pass");
  expect(answered.length).toBeLessThan(5);
  expect(lines.at(-1)).toContain(`: ${answered.length} of 5 questions answered, `);
});

test("while a service is asked of slow answers, the scenarios go on that it is asked of", async () => {
  const change = ({ config }: Samples): void => {
    config.policy.metrics = [makePolicy("slow", "windows", "gate", [0.4, 0.1, 0])];
    config.policy.slowOfServices = true;
    // Each is long enough to see a stall without the others.
    for (const { slice } of config.scenarios) slice.durationMs = 2000;
  };
  const recipe = { noise: 0, p99Ratio: { "api/hello": 1.2 } };
  const { samples, loaded } = await rotated({ recipe, change });
  expect(samples.run).toMatchObject({ state: "complete", ended: "answered" });
  expect(new Set(loaded)).toEqual(new Set(["echo hello"]));
  const answered = judge({ samples, baselines: [] }).comparisons.map(({ id, rounds }) => [
    id,
    rounds,
  ]);
  expect(answered).toEqual([
    ["api/echo slow windows", 6],
    ["api/hello slow windows", 10],
    ["api slow", loaded.length],
  ]);
});

test("the time budget ends a run that could go on", async () => {
  const change = ({ config }: Samples): void => {
    config.policy.timeBudgetMs = 5000;
  };
  const { samples } = await rotated({ change });
  expect(samples.run).toMatchObject({ state: "complete", ended: "out-of-time", measuredMs: 5000 });
  expect(samples.rounds).toHaveLength(5);
});

test("what is left at most has room for a round that begins in the last moment", async () => {
  const { samples, lines } = await rotated({
    roundMs: 9000,
    change: ({ config }) => {
      config.policy.timeBudgetMs = 36_001;
    },
  });
  expect(samples.run.ended).toBe("out-of-time");
  expect(samples.rounds).toHaveLength(5);
  expect(lines[4]).toContain(", at most 9 s left");
  expect(lines[5]).toContain(", no time left");
});

test("a run whose time is too little for so noisy a host gives up only if it is asked to", async () => {
  const inNoise = async (giveUp: boolean): Promise<Rotated> =>
    await rotated({
      roundMs: 10_000,
      change: (samples) => {
        beBusy(samples, samples.rounds.length);
        Object.assign(samples.config.policy, { giveUp, timeBudgetMs: 600_000 });
      },
    });
  const { samples, lines } = await inNoise(true);
  expect(samples.run).toMatchObject({ state: "complete", ended: "futile" });
  expect(judge({ samples, baselines: [] }).state).toBe("inconclusive");
  expect(lines.at(-1)).toBe(
    "round 20: 1 of 5 questions answered, 3.3 min measured, at most 6.8 min left; too little time to answer 4 more if it stays so noisy: 320 of 320 measurements were disturbed, and stress used 35 % of the measured CPUs",
  );
  const on = await inNoise(false);
  expect(on.samples.run.ended).toBe("out-of-time");
  expect(on.lines[samples.rounds.length]).toBe(lines.at(-1));
});

/** A round that ended with a crash under these scenarios, one a round. */
function crash(...names: readonly string[]): (samples: Samples) => void {
  return ({ rounds }) => {
    for (const [index, name] of names.entries()) {
      const round = rounds[index];
      if (round === undefined) throw new Error(`there is no round ${index}`);
      round.launches = null;
      const scenario = name === "" ? null : `api/${name}`;
      round.failure = { kind: "crash", arm: "candidate", scenario, text: "exited", detail: "" };
      for (const { arms } of round.scenarios) arms.candidate.pooled = null;
    }
  };
}

test("after a crash under one scenario the others are measured without it", async () => {
  const { samples, loaded } = await rotated({ change: crash("echo") });
  expect(samples.run).toMatchObject({ state: "failed", ended: "failed" });
  expect(loaded[0]).toBe("echo hello");
  expect(new Set(loaded.slice(1))).toEqual(new Set(["hello"]));
  const verdict = judge({ samples, baselines: [] });
  expect(verdict.state).toBe("invalid");
  const states = new Map(verdict.comparisons.map(({ id, state }) => [id, state]));
  expect(states.get("api/echo p99 typical")).toBe("invalid");
  expect(states.get("api/hello p99 typical")).toBe("pass");
  expect(states.get("api rss")).toBe("pass");
});

test("a crash under no scenario, or under each, ends the run with its round", async () => {
  const check = async (rounds: number, ...names: readonly string[]): Promise<void> => {
    const { samples } = await rotated({ change: crash(...names) });
    expect(samples.run).toMatchObject({ state: "failed", ended: "failed" });
    expect(samples.rounds).toHaveLength(rounds);
  };
  await check(1, "");
  await check(2, "echo", "hello");
});

test("a regression beside a failed scenario: the verdict is regressed and names both", async () => {
  const recipe = { p99Ratio: { "api/hello": 2 }, noise: 0.05, rounds: 160 };
  const { samples } = await rotated({ recipe, change: crash("echo") });
  expect(samples.run).toMatchObject({ state: "complete", ended: "regressed" });
  const { state, causes } = judge({ samples, baselines: [] });
  expect(state).toBe("regressed");
  expect(causes.map(({ finding }) => finding.code)).toEqual(["worse", "worse", "fault"]);
});

test("a round interrupted by a signal is discarded", async () => {
  const { samples } = await rotated({ stopInRound: 2 });
  expect(samples.run.state).toBe("interrupted");
  expect(samples.rounds).toHaveLength(2);
});

/** The candidate answers all of these scenarios wrongly, in every round. */
function wrongIn(...ids: readonly string[]): (samples: Samples) => void {
  return ({ rounds }) => {
    for (const entry of rounds.flatMap(({ scenarios }) => scenarios)) {
      if (!ids.includes(entry.scenario)) continue;
      entry.arms.candidate.pooled = null;
      for (const slice of entry.slices) {
        if (slice.arm === "candidate") slice.void = { rule: "status", detail: "" };
      }
    }
  };
}

test("a scenario that is answered wrongly every time is measured four times", async () => {
  const { samples, loaded } = await rotated({ change: wrongIn("api/echo") });
  expect(samples.run).toMatchObject({ state: "failed", ended: "failed" });
  expect(loaded.slice(0, 4)).toEqual(Array(4).fill("echo hello"));
  expect(new Set(loaded.slice(4))).toEqual(new Set(["hello"]));
  const { comparisons, state } = judge({ samples, baselines: [] });
  expect(state).toBe("invalid");
  // Memory is of rounds in which both arms did the same work.
  const rss = comparisons.find(({ id }) => id === "api rss");
  expect(rss).toMatchObject({ state: "pass" });
  expect(rss?.series.every(({ round }) => round >= 4)).toBe(true);
});

test("wrong answers to every scenario end the run after four rounds", async () => {
  const { samples } = await rotated({ change: wrongIn("api/echo", "api/hello") });
  expect(samples.run).toMatchObject({ state: "failed", ended: "failed" });
  expect(samples.rounds).toHaveLength(4);
});

test("a saturated reference invalidates only that scenario", async () => {
  const change = ({ rounds }: Samples): void => {
    for (const { scenarios } of rounds) {
      for (const { scenario, arms, slices } of scenarios) {
        if (scenario !== "api/echo") continue;
        arms.candidate.saturated = true;
        if (arms.reference !== null) arms.reference.saturated = true;
        for (const slice of slices) {
          if (slice.latency !== null) slice.latency.max = 320_000;
          slice.host.service = 0.98;
        }
      }
    }
  };
  const { samples, loaded } = await rotated({ change });
  expect(loaded[3]).toBe("echo hello");
  expect(loaded[4]).toBe("hello");
  expect(describeVerdict(judge({ samples, baselines: [] })).headline).toBe(
    "invalid measurement: api/echo: the rate is beyond what the reference can serve: requests queued for a free connection in 4 of 4 rounds; of 2,000 requests/s it served about 1,200 with 98 % of its CPUs; the other 3 gated metrics are within their limits",
  );
});

test("a screen ends with its rounds, with its time, or as soon as it cannot pass", async () => {
  const check = async (situation: Situation, rounds: number): Promise<void> => {
    const { samples } = await rotated({
      screen: { rounds: 12, timeMs: 60_000 },
      baselines: [recorded(0)],
      ...situation,
      recipe: { compare: "stored", ...situation.recipe },
    });
    expect(samples.run).toMatchObject({ state: "complete", ended: "screened" });
    expect(samples.rounds).toHaveLength(rounds);
  };
  await check({ recipe: { p99Us: 420 } }, 12);
  await check({ recipe: { p99Us: 420 }, screen: { rounds: 8, timeMs: 60_000 } }, 8);
  await check({ screen: { rounds: 12, timeMs: 3000 } }, 3);
  await check({ history: [] }, 0);
  // All but one could be told.
  const { rss: _, ...metrics } = recorded(0).metrics;
  await check({ baselines: [{ ...recorded(0), metrics }] }, 0);
  await check({ baselines: [] }, 0);
});

test("with too little history nothing is measured: no round could decide", async () => {
  const { samples } = await rotated({
    recipe: { compare: "stored" },
    baselines: [recorded(0)],
    history: [],
  });
  expect(samples.rounds).toHaveLength(0);
});

test("memory is read until it is decided, and always when it is not judged", async () => {
  // What the noise leaves open in latency, memory, an eighth as noisy, has told by the fifth round.
  const { memoryRead } = await rotated({ recipe: { noise: 0.08, rounds: 150 } });
  expect(memoryRead.slice(0, 5)).toEqual([true, true, true, true, true]);
  expect(memoryRead.at(-1)).toBe(false);
  const change = ({ config }: Samples): void => {
    for (const policy of config.policy.metrics) {
      if (policy.metric === "rss") policy.level = "info";
    }
  };
  const here = ({ config }: Samples): void => {
    for (const service of config.services) {
      service.metrics = [makePolicy("rss", "launch", "info", [0.05, 0.025, 0])];
    }
  };
  for (const notJudged of [change, here]) {
    const shown = await rotated({ change: notJudged, recipe: { noise: 0.08, rounds: 150 } });
    expect(new Set(shown.memoryRead)).toEqual(new Set([true]));
  }
});

test("a start-up that is undecided has all scenarios loaded, and no memory read", async () => {
  const { memoryRead, loaded } = await rotated({
    recipe: { rounds: 150 },
    change: ({ config, rounds }) => {
      config.policy.metrics.push(makePolicy("startup", "launch", "gate", [1, 0.5, 0]));
      for (const { index, launches } of rounds) {
        if (launches !== null) launches.candidate.values.startup = index % 3 === 0 ? 60 : 25;
      }
    },
  });
  expect(memoryRead.length).toBeGreaterThan(15);
  expect(memoryRead.slice(10)).not.toContain(true);
  expect(new Set(loaded)).toEqual(new Set(["echo hello"]));
});

test.each([
  ["short: all go on, so that a stall is met", 4, 10, 0],
  ["long: all go on until there are rounds enough for a baseline", 20, 8, 2],
])(
  "while slowest answers are undecided and rounds are %s",
  async (_, secondsEach, together, alone) => {
    const change = ({ config }: Samples): void => {
      const slow = makePolicy("slow", "windows", "gate", [0.4, 0.1, 0]);
      config.policy.metrics.push(slow);
      for (const { name, slice, metrics } of config.scenarios) {
        slice.durationMs = (1000 * secondsEach) / (2 * slice.pairs);
        if (name === "hello") metrics.push({ ...slow, level: "info" });
      }
    };
    const { loaded, samples } = await rotated({ change, recipe: { whole: true } });
    expect(samples.run.ended).toBe("answered");
    expect(loaded).toEqual([...Array(together).fill("echo hello"), ...Array(alone).fill("echo")]);
    expect(wholeRoundsOf(samples, "api")).toHaveLength(together);
  },
);
