import { expect, test } from "vitest";
import type { FlameFrame } from "../../src/core/report/kit/blocks.ts";
import { BASE, type Made, makeSession } from "../../test/support/profiles.ts";
import { explain } from "./explanation.ts";
import { flameSection } from "./flame.ts";
import { foldPairs } from "./fold.ts";

function pictureOf(made: Made) {
  const session = makeSession(made);
  const pairs = foldPairs(session);
  const [block] = flameSection(pairs, explain(session, pairs)).blocks;
  if (block?.kind !== "figure" || block.figure.kind !== "flame") return null;
  return block.figure;
}

const told = ({ depth, label, change, isNamed }: FlameFrame): string =>
  `${"  ".repeat(depth)}${label}${change === null ? "" : ` (${change})`}${isNamed ? " named" : ""}`;

const HASH = { "sha.block @hash @echo http.serve": 16 };

test("stacks of both arms are one tree below the first own function, and what differs is marked", () => {
  const picture = pictureOf({
    change: { ...HASH, "runtime.mallocgc @readJSON @echo http.serve": -25 },
  });
  expect(picture?.frames.map(told)).toMatchInlineSnapshot(`
    [
      "all 203.6 → 195.3 ms",
      "  server.echo 138.5 → 131.2 ms",
      "    server.answer 60.3 → 60.3 ms",
      "      syscall.write 60.3 → 60.3 ms",
      "        [kernel] write 60.3 → 60.3 ms",
      "    ▼ server.readJSON 48.4 → 24.8 ms (less)",
      "      ▼ runtime.mallocgc 48.4 → 24.8 ms (less)",
      "    ▲ server.hash 0 → 15.9 ms (more)",
      "      ▲ sha.block 0 → 15.9 ms (more)",
      "  no function of this repository 60.69 → 59.04 ms",
      "    runtime.netpoll 40.9 → 39.1 ms",
      "      [kernel] epoll_wait 40.9 → 39.1 ms",
      "    runtime.gcBgMarkWorker 19.82 → 19.95 ms",
      "  server.main 4.419 → 5.024 ms",
    ]
  `);
  expect(picture?.frames.find(({ label }) => label.includes("hash"))?.says).toMatchInlineSnapshot(`
    [
      "server.hash",
      "CPU per 1,000 requests 0 → 15.9 ms, 8.1 % of all",
      "▲ more than before",
      "example.com/shop/server.hash",
    ]
  `);
});

test("frames lie within the one that calls them, side by side", () => {
  const frames = pictureOf({ change: HASH })?.frames ?? [];
  expect(frames[0]).toMatchObject({ depth: 0, from: 0, width: 1 });
  for (const [at, one] of frames.entries()) {
    const caller = frames.slice(0, at).findLast(({ depth }) => depth === one.depth - 1);
    const before = frames.slice(0, at).findLast(({ depth }) => depth === one.depth);
    expect(one.from + one.width).toBeLessThanOrEqual(
      (caller?.from ?? 0) + (caller?.width ?? 1) + 1e-9,
    );
    expect(one.from).toBeGreaterThanOrEqual((before?.from ?? 0) + (before?.width ?? 0) - 1e-9);
  }
});

test("what there is no more of is told in words", () => {
  const change = { "@echo http.serve": -29.8, "runtime.gcBgMarkWorker": -20 };
  expect(pictureOf({ change })?.caption).toMatch(
    / Too narrow now: runtime\.gcBgMarkWorker [\d.]+ → 0 ms\.$/,
  );
  expect(pictureOf({})?.caption).not.toContain("Too narrow");
});

test("however many functions there are, so many are drawn as can be read", () => {
  const many = (count: number, cost: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`@f${at} @main`, cost]));
  const labels = (before: Made["before"]) =>
    pictureOf({ before })?.frames.map(({ label }) => label);
  // Each is below the least share.
  expect(labels(many(400, 1))).toEqual([
    expect.stringMatching(/^all /),
    expect.stringMatching(/^server\.main /),
    expect.stringMatching(/^400 narrow ones /),
  ]);
  const deep = Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [
      `@a${at} @b${at} ${Array.from({ length: 90 }, (_, k) => `@c${k}`).join(" ")}`,
      1,
    ]),
  );
  const frames = pictureOf({ before: deep })?.frames ?? [];
  expect(frames.length).toBeLessThanOrEqual(250);
  expect(Math.max(...frames.map(({ depth }) => depth))).toBeLessThanOrEqual(41);
});

test("memory is drawn by the pages that were touched, and without stacks there is no picture", () => {
  const faults = {
    reference: { "runtime.mallocgc @main": 100 },
    candidate: { "runtime.mallocgc @main": 100, "runtime.mallocgc @table @main": 3000 },
  };
  const gate = [{ kind: "memory" as const, reference: 16e6, candidate: 28e6, red: true }];
  const candidate = { mappings: { anonymous: 22e6 } };
  expect(
    pictureOf({ faults, candidate, session: { gate } })?.frames.map(told),
  ).toMatchInlineSnapshot(`
    [
      "▲ all 0.3932 → 12.04 MiB (more)",
      "  ▲ server.main 0.3932 → 12.04 MiB (more)",
      "    ▲ server.table 0 → 11.7 MiB (more) named",
      "      ▲ runtime.mallocgc 0 → 11.7 MiB (more)",
      "    runtime.mallocgc 402.7 → 398.3 KiB",
    ]
  `);
  const stackless = makeSession().launches.map((one) => ({ ...one, stacks: [] }));
  expect(pictureOf({ session: { launches: stackless } })).toBe(null);
});

test("where nothing differs at most one picture in twenty has a mark", () => {
  const marked = Array.from({ length: 60 }, (_, seed) =>
    pictureOf({ seed: seed + 1, rounds: 8, before: BASE }),
  ).filter((one) => one?.frames.some(({ change }) => change !== null)).length;
  expect(marked).toBeLessThanOrEqual(3);
});
