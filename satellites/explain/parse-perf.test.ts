import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Stack } from "./model.ts";
import { cleanSymbol, type PerfOptions, PerfText } from "./parse-perf.ts";

const ALL: PerfOptions = { readyMs: 0, fromMs: 0, toMs: Number.POSITIVE_INFINITY };

const fixture = (name: string): string =>
  readFileSync(join(import.meta.dirname, "fixtures", name), "utf8");

function parsed(text: string, options: Partial<PerfOptions> = {}) {
  const parser = new PerfText({ ...ALL, ...options });
  parser.push(text);
  return parser.end();
}

const weights = (stacks: readonly Stack[]): number => stacks.reduce((n, one) => n + one.weight, 0);

const names = ({ frames }: Stack): string[] => frames.map(({ name }) => name);

/** One sample of the CPU clock. */
const sample = (frames: readonly string[], header = "api 7/8 1.5: cpu-clock:u: "): string =>
  `${[header, ...frames.map((frame) => `\t    ${frame}`)].join("\n")}\n\n`;

describe("a recording of a Go service", () => {
  const text = fixture("perf-go.txt");
  const windows = { readyMs: 20_918_640, fromMs: 20_918_800, toMs: 20_919_500 };

  test("samples are told apart by time, and faults by event", () => {
    const { stacks, start, faults } = parsed(text, windows);
    expect([stacks, start, faults].map(weights)).toEqual([9, 2, 3]);
  });

  test("a generic function's name has blanks and quotes, and is whole", () => {
    const { stacks } = parsed(text, windows);
    expect(stacks.flatMap(names).find((name) => name.includes("decodeJSON"))).toMatch(
      /server\.decodeJSON\[go\.shape\.struct \{ ID \*uint64 "json:\\"id\\""; .* \}\]$/,
    );
  });
});

test("a recording of a Rust service ends where its stacks were cut", () => {
  const { stacks } = parsed(fixture("perf-rust.txt"), { fromMs: 20_921_000 });
  expect(weights(stacks)).toBe(10);
  expect(stacks.flatMap(names)).toContain("axum_api::serve::serve::{closure}::{closure}");
  expect(stacks.map((one) => names(one).at(-1))).toContain("[unknown]");
});

test("what the kernel did is one frame, by the fault or the system call", () => {
  const go = parsed(fixture("perf-go.txt")).stacks;
  expect(go.flatMap(names)).toContain("[kernel] page fault");
  const { stacks } = parsed(fixture("perf-rust.txt"), { fromMs: 20_921_000 });
  const heads = stacks.map((one) => names(one).slice(0, 2).join(" < "));
  expect(heads).toContain("[kernel] writev < __GI___writev");
  expect(heads.join().match(/__x64_sys/)).toBe(null);
});

test("the same stack is counted, and a run of unknown frames is one", () => {
  const frames = [
    "10 [unknown] (/lib/libx.so (deleted))",
    "11 [unknown] (/lib/libx.so)",
    "12 f (/srv/api)",
  ];
  const { stacks } = parsed(sample(frames) + sample(frames));
  expect(stacks.map((one) => ({ weight: one.weight, names: names(one) }))).toEqual([
    { weight: 2, names: ["[libx.so]", "f"] },
  ]);
  expect(stacks[0]?.frames[1]?.module).toBe("api");
});

test("what was compiled in copies has one name", () => {
  const check = (symbol: string, name: string) => expect(cleanSymbol(symbol)).toBe(name);
  check("axum_api::app::h0123456789abcdef", "axum_api::app");
  check("f.llvm.1234567890", "f");
  check("f.constprop.0.isra.0", "f");
  check("f.cold", "f");
  check("clock_nanosleep@@GLIBC_2.17", "clock_nanosleep");
  check("f@GLIBCXX_3.4.11", "f");
  check("<T as a::B>::c::{{closure}}::h0123456789abcdef", "<T as a::B>::c::{closure}");
  check("server.echo.func1", "server.echo.func1");
});

test("what else stands in the text is passed over, and other events too", () => {
  const text = [
    "# started on",
    sample(["1 f (/a)"], "x 1/1 1.0: context-switches: "),
    "garbage (",
    sample(["1 f (/a)"]),
    "\tzz not a frame",
    "\t 5 g (/a)",
  ].join("\n");
  expect(parsed(text).stacks).toHaveLength(1);
  expect(parsed("").stacks).toEqual([]);
});

test("foreign names are inert, of bounded length and depth", () => {
  const evil = `\u001b[31m${"x".repeat(5000)}`;
  const deep = Array.from({ length: 1000 }, (_, at) => `${at} f${at} (/a)`);
  const { stacks } = parsed(sample([`1 ${evil} (/a\u202e)`]) + sample(deep));
  expect(stacks[0]?.frames[0]?.name).toMatch(/^x{239}…$/);
  expect(stacks[0]?.frames[0]?.module).toBe("a");
  expect(stacks[1]?.frames).toHaveLength(192);
  expect(names(stacks[1] as Stack)[0]).toBe("f0");
});

test("it does not matter where the text is cut", () => {
  const text = fixture("perf-go.txt").slice(0, 6000);
  const whole = parsed(text);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
      const parser = new PerfText(ALL);
      const places = [0, ...cuts.toSorted((a, b) => a - b), text.length];
      for (const [at, from] of places.entries())
        parser.push(text.slice(from, places[at + 1] ?? from));
      expect(parser.end()).toEqual(whole);
    }),
    { numRuns: 30 },
  );
});
