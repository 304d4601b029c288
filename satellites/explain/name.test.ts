import { expect, test } from "vitest";
import { BASE, type Costs, type Made, makeSession, own } from "../../test/support/profiles.ts";
import { foldPairs } from "./fold.ts";
import { nameCpu } from "./name.ts";
import { shortName } from "./own.ts";

/** `caller > function (in callee)`, of what is named and of what moved. */
function told(made: Made) {
  const { named, moved } = nameCpu(foldPairs(makeSession(made)));
  const short = (name: string | null): string => (name === null ? "–" : shortName(name));
  return {
    named: named.map(
      (one) =>
        `${short(one.calledBy)} > ${short(one.function)}${one.within === null ? "" : ` in ${short(one.within)}`}`,
    ),
    moved: moved.map((one) => `${short(one.function)} from ${short(one.from)}`),
  };
}

test("new cost is named by the own function that has it", () => {
  const check = (change: Costs, named: string[], moved: string[] = []) =>
    expect(told({ change })).toEqual({ named, moved });

  check({}, []);
  check({ "sha.block @hash @echo http.serve": 16 }, ["server.echo > server.hash in sha.block"]);
  check({ "@echo http.serve": 12 }, ["– > server.echo"]);
  check({ "regexp.compile regexp.New @readJSON @echo http.serve": 38 }, [
    "server.echo > server.readJSON in regexp.New",
  ]);
  check({ "@refresh": 80 }, ["– > server.refresh"]);
  check({ "@echo http.serve": -12 }, []);
});

test("of several the largest is named first, and what it calls only where most of it is", () => {
  const change = { "@small @main http.serve": 8, "@large @echo http.serve": 30 };
  expect(told({ change }).named).toEqual([
    "server.echo > server.large",
    "server.main > server.small",
  ]);
  const mixed = { "sha.block @hash @echo http.serve": 15, "md5.block @hash @echo http.serve": 15 };
  expect(told({ change: mixed }).named).toEqual(["server.echo > server.hash"]);
});

test("what is too little of all CPU to matter is not named", () => {
  const before = { ...BASE, "@rest http.serve": 5000 };
  const change = { "@tiny @echo http.serve": 12, "regexp.compile regexp.New [unknown]": 30 };
  expect(told({ before, change })).toEqual({ named: [], moved: [] });
});

test("code that moved is told apart, also where it came with a new caller, or by another name", () => {
  const check = (change: Costs, moved: string[]) =>
    expect(told({ change })).toEqual({ named: [], moved });

  check({ "@stamp @echo http.serve": 12, "@echo http.serve": -12 }, [
    "server.stamp from server.echo",
  ]);
  check({ "@inner @outer @echo http.serve": 12, "@echo http.serve": -12 }, [
    "server.inner from server.echo",
  ]);
  check(
    {
      "runtime.mallocgc @readJSON @echo http.serve": -50,
      "runtime.mallocgc @parse @echo http.serve": 50,
    },
    ["server.parse from server.readJSON"],
  );
});

test("what moved for the most part, and is called more often, is named by what is around it", () => {
  const change = { "@rounds @echo http.serve": 40, "@echo http.serve": -28 };
  expect(told({ change })).toEqual({ named: ["– > server.echo in server.rounds"], moved: [] });
});

test("what is new and around what moved is named once", () => {
  for (const seed of [1, 3, 35, 46]) {
    const { named } = told({ seed, change: { "@remember @echo http.serve": 3 } });
    const functions = named.map((one) => /> (\S+)/.exec(one)?.[1]);
    expect(functions).toEqual([...new Set(functions)]);
  }
});

test("beside new cost below the same function, what moved is still told apart", () => {
  const check = (hash: number, stamp: number) =>
    expect(
      told({
        change: {
          "@hash @echo http.serve": hash,
          "@stamp @echo http.serve": stamp,
          "@echo http.serve": -stamp,
        },
      }),
    ).toEqual({ named: ["server.echo > server.hash"], moved: ["server.stamp from server.echo"] });
  check(16, 12);
  check(12, 24);
});

test("a stack that was cut says nothing of callers", () => {
  const change = { "@hash [unknown]": 12, "@hash @echo http.serve": 8 };
  expect(told({ change }).named).toEqual(["server.echo > server.hash"]);
});

test("of code that moved and became dearer the whole is new", () => {
  const change = { "@stamp @echo http.serve": 30, "@echo http.serve": -10 };
  expect(told({ change })).toEqual({ named: ["server.echo > server.stamp"], moved: [] });
});

test("a cost spread over many callees is named by the function around them", () => {
  const names = Array.from({ length: 40 }, (_, at) => `rpc.part${at}`);
  const parts = Object.fromEntries(names.map((name) => [`${name} @fanOut @main http.serve`, 4]));
  const before = { ...BASE, ...parts };
  const change = Object.fromEntries(Object.keys(parts).map((stack) => [stack, 0.6]));
  expect(told({ before, change }).named[0]).toMatch(/server\.fanOut/);
});

test("what grows outside own code is named, the outermost new function of it", () => {
  const change = {
    "std.format std.eprint [unknown]": 6,
    "[kernel]·write std.flush std.eprint [unknown]": 10,
  };
  expect(told({ change })).toEqual({ named: ["– > std.eprint"], moved: [] });
});

/** Of stacks that end where the recorder cut them. */
const below = (frame: string, parse: number, call: number, more: Costs = {}): Costs => ({
  [`serde::de @parse Handler::call ${frame} Oneshot::poll [unknown]`]: parse,
  [`Handler::call ${frame} Oneshot::poll [unknown]`]: call,
  ...more,
});

test("of what grows outside own code it is said in which function most of it is", () => {
  const before = { ...BASE, "park start [unknown]": 12, "spin begin start [unknown]": 1 };
  const change = { "spin begin start [unknown]": 60, "futex start [unknown]": 4 };
  expect(told({ before, change }).named).toEqual(["– > start in spin"]);
});

test("where stacks are cut, what the frames of libraries took decides whether new cost is below them", () => {
  const rest = { "epoll::wait tokio::park [unknown]": 120 };
  const before = below("Oneshot::call", 20, 30, rest);
  const hash = { "sha::block Handler::call Oneshot::call Oneshot::poll [unknown]": 6 };
  expect(told({ before, change: hash })).toEqual({
    named: ["Handler::call > sha::block"],
    moved: [],
  });
  // The same below a frame that is new itself, as where the compiler inlines another one now.
  const gone = below("Oneshot::call", -20, -30);
  const moved = below("Map::poll", 20, 30, gone);
  expect(told({ before, change: moved }).named).toEqual([]);
  const both = { ...moved, "sha::block Handler::call Map::poll Oneshot::poll [unknown]": 6 };
  expect(told({ before, change: both }).named).toEqual(["Handler::call > sha::block"]);
  // Nearly half of the new frame is called there and was called elsewhere: the hash itself is named.
  const few = below("Oneshot::call", 4, 4, { ...rest, "mem::copy Oneshot::poll [unknown]": 10 });
  const half = { ...below("Oneshot::call", -4, -4), ...below("Map::poll", 4, 4) };
  const more = { ...half, "sha::block Handler::call Map::poll Oneshot::poll [unknown]": 10 };
  expect(told({ before: few, change: more }).named).toEqual(["Handler::call > sha::block"]);
});

test("of a function that has nearly all CPU twice as much is twice as much", () => {
  const before = { ...BASE, "sha.block @hash @echo http.serve": 4000 };
  const change = { "sha.block @hash @echo http.serve": 4000 };
  const { named } = nameCpu(foldPairs(makeSession({ before, change })));
  expect(named.map((one) => one.function)).toEqual([own("hash")]);
  const [hash] = named;
  expect((hash?.after ?? 0) / (hash?.before ?? 0)).toBeCloseTo(2, 1);
});

test("amounts are CPU per 1,000 requests, with an interval above 0", () => {
  const change = { "@hash @echo http.serve": 16 };
  const [one] = nameCpu(foldPairs(makeSession({ change }))).named;
  expect(one).toMatchObject({ function: own("hash"), calledBy: own("echo"), before: 0 });
  expect(one?.after).toBeGreaterThan(14);
  expect(one?.after).toBeLessThan(18);
  expect(one?.interval?.low).toBeGreaterThan(10);
  expect(one?.p).toBe(1 / 4096);
});

test("where the kernel's half is not seen, samples count for themselves", () => {
  const change = { "@hash @echo http.serve": 16 };
  const session = makeSession({ change });
  const user = session.launches.map((one) => ({
    ...one,
    halves: "user" as const,
    cpuMs: 2 * one.cpuMs,
  }));
  const [one] = nameCpu(foldPairs({ ...session, launches: user })).named;
  expect(one?.after).toBeLessThan(18);
});

test("a round with one arm alone, or without answers, is left out, and none names nothing", () => {
  const session = makeSession({ rounds: 3 });
  const silent = session.launches.map((one, at) => (at === 3 ? { ...one, requests: 0 } : one));
  expect(foldPairs({ ...session, launches: silent })).toHaveLength(2);
  expect(foldPairs({ ...session, launches: session.launches.slice(1) })).toHaveLength(2);
  expect(nameCpu(foldPairs({ ...session, launches: [] }))).toEqual({ named: [], moved: [] });
});
