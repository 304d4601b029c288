import { expect, test } from "vitest";
import { BASE, type Costs, makeSession } from "../../test/support/profiles.ts";
import { PRINTS_RATES, trialsOf } from "../../test/support/trials.ts";
import { explain } from "./explanation.ts";

/** 4 sd of a share, so that one in 30,000 such tests fails by chance. */
const most = (share: number, trials: number): number =>
  share + 4 * Math.sqrt((share * (1 - share)) / trials);

function rate(what: string, all: number, happens: (seed: number) => boolean): [number, number] {
  const trials = trialsOf(all);
  const times = Array.from({ length: trials }, (_, seed) => happens(seed)).filter(Boolean).length;
  if (PRINTS_RATES) console.log(`${what}: ${times} of ${trials}`);
  return [times / trials, most(0.05, trials)];
}

test("of unchanged programs at most 5 % of sessions say anything", () => {
  const [share, limit] = rate("unchanged", 1000, (seed) => {
    const { cause, rows, also } = explain(makeSession({ seed, rounds: 10 }));
    return cause.kind !== "nothing" || rows.length > 0 || also.length > 0;
  });
  expect(share).toBeLessThanOrEqual(limit);
});

test("of neutral splits at most 5 % name a function, of 2 to 12 % of all CPU", () => {
  for (const ms of [4, 8, 24]) {
    const change = { "@stamp @echo http.serve": ms, "@echo http.serve": -ms };
    const [share, limit] = rate(`split of ${ms} ms`, 500, (seed) => {
      return explain(makeSession({ seed, change })).rows.length > 0;
    });
    expect(share).toBeLessThanOrEqual(limit);
  }
});

test("a function that is no longer inlined into ten callers is not named", () => {
  const callers = Array.from({ length: 10 }, (_, at) => `@f${at} @echo http.serve`);
  const before = { ...BASE, ...Object.fromEntries(callers.map((stack) => [stack, 5])) };
  const change = Object.fromEntries(
    callers.flatMap((stack) => [
      [stack, -1],
      [`@helper ${stack}`, 1],
    ]),
  );
  const [share, limit] = rate("outlined", 300, (seed) => {
    return explain(makeSession({ seed, before, change })).rows.length > 0;
  });
  expect(share).toBeLessThanOrEqual(limit);
});

test("3 % more CPU in a new function is named first in most sessions", () => {
  const change = { "@hash @echo http.serve": 6 };
  const [share] = rate("planted", 300, (seed) => {
    const [first] = explain(makeSession({ seed, change })).rows;
    return first?.function.endsWith(".hash") === true;
  });
  expect(share).toBeGreaterThan(0.9);
});

/** A service whose handler is inlined in a library's function, and whose stacks are cut. */
const CUT: Costs = {
  "[kernel]·write syscall.write @answer [unknown]": 60,
  "serde::parse @answer Map::poll [unknown]": 20,
  "Map::poll hyper::poll [unknown]": 35,
  "malloc Map::poll [unknown]": 10,
  "hyper::parse hyper::poll [unknown]": 30,
  "[kernel]·epoll_wait tokio::park [unknown]": 65,
};

test("on a busy machine too new cost below a library's frame is told from what moved there", () => {
  const named = (seed: number, change: Costs): boolean =>
    explain(makeSession({ seed, before: CUT, change, noise: 0.03 })).rows.length > 0;
  const hash = { "sha::block Map::poll [unknown]": 6 };
  const [found] = rate("planted below", 300, (seed) => named(seed, hash));
  expect(found).toBeGreaterThan(0.9);
  const split = { "fmt::write Map::poll [unknown]": 6, "Map::poll hyper::poll [unknown]": -6 };
  const [share, limit] = rate("split below", 300, (seed) => named(seed, split));
  expect(share).toBeLessThanOrEqual(limit);
});

test("where the same code takes up to twice as long in one launch as in another new cost is named", () => {
  const named = (seed: number, change: Costs): boolean =>
    explain(makeSession({ seed, change, noise: 0.25 })).rows.some((row) =>
      row.function.endsWith(".hash"),
    );
  const [found] = rate("planted on a busy machine", 300, (seed) =>
    named(seed, { "@hash @echo http.serve": 10 }),
  );
  expect(found).toBeGreaterThan(0.9);
  const any = (seed: number): boolean =>
    explain(makeSession({ seed, noise: 0.25 })).rows.length > 0;
  const [share, limit] = rate("unchanged on a busy machine", 300, any);
  expect(share).toBeLessThanOrEqual(limit);
});
