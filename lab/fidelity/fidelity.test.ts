import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MIXES } from "../../test/support/known-latency-profiles.ts";
import type { Cell } from "./cell.ts";
import { mergeResults, parseSections, readStored } from "./fidelity.ts";
import type { Measurement } from "./measure.ts";
import { renderFidelity } from "./page.ts";

const stored = readStored();

test("the page is what the stored results say, to the byte", () => {
  expect(renderFidelity(stored)).toBe(readFileSync("lab/fidelity/README.md", "utf8"));
});

const { transports: _, mixes: __, ...generators } = stored;
const [like] = generators.cells;
if (like === undefined) throw new Error("nothing is stored");

/** A cell of so many microseconds everywhere. */
function cell(us: number, change: Partial<Cell>): Cell {
  const quantiles = Object.fromEntries(Object.keys(like?.quantiles ?? {}).map((p) => [p, us]));
  return { ...(like as Cell), quantiles: quantiles as Cell["quantiles"], void: null, ...change };
}

const measured = (measuredAt: string, cells: Cell[]): Measurement => ({
  ...generators,
  measuredAt,
  cells,
});

const over = (name: NonNullable<Cell["over"]>, us: number): Cell =>
  cell(us, { profile: "constant", rateRps: 2000, over: name });

test("without transports and mixes there is the page of the generators alone", () => {
  const page = renderFidelity(generators);
  expect(page).toContain("## constant: 1 ms");
  expect(page).not.toMatch(/## Over|## Mixes/);
});

test("what is measured by itself keeps the rest, each with its date", () => {
  const transports = measured("2030-01-02", [over("http1", 1000), over("h2", 1000)]);
  const mixes = measured("2031-01-02", []);
  const merged = mergeResults(generators, { transports });
  expect(merged).toEqual({ ...generators, transports });
  expect(mergeResults(merged, { mixes })).toEqual({ ...generators, transports, mixes });
  const anew = measured("2032-01-02", generators.cells);
  expect(mergeResults(merged, { generators: anew })).toEqual({ ...anew, transports });
  expect(() => mergeResults(null, { mixes })).toThrow("nothing is stored");
  const dates = [...renderFidelity({ ...merged, mixes }).matchAll(/^Measured (\S+),/gm)];
  expect(dates.map(([, date]) => date)).toEqual([
    generators.measuredAt.slice(0, 10),
    "2030-01-02",
    "2031-01-02",
  ]);
});

test("sections are asked for by name", () => {
  expect(parseSections(undefined)).toEqual(["generators", "transports", "mixes"]);
  expect(parseSections("mixes,transports")).toEqual(["mixes", "transports"]);
  expect(() => parseSections("mixes,h2")).toThrow("--only h2: want generators, transports, mixes");
});

test("a transport whose p99 is far from plain HTTP/1.1 is named, in words", () => {
  const cells = [over("http1", 1200), over("h2", 2400), over("h2c", 1300), over("http1-tls", 1100)];
  const page = renderFidelity({ ...generators, transports: measured("2030-01-02", cells) });
  expect(page).toContain(
    "- **HTTP/2, TLS**: the p99 of “constant: 1 ms”, at 2,000/s, is 1.20 ms more than over plain HTTP/1.1.",
  );
  expect(page).toContain(
    "- HTTP/1.1, TLS; HTTP/2 (h2c): every p99 within 0.10 ms of that over plain HTTP/1.1.",
  );
  expect(page).toMatch(/^- oha over HTTP\/2, TLS and unix sockets: 3 of 9 quantiles within /m);
});

test("a mix and each of its parts have a truth of their own; parts that are alike share a row", () => {
  const cells = MIXES.map(({ name, parts }) => {
    const seen = parts.map((_, i) => ({
      ...cell(10_000 + 100 * i, {}),
      scheduled: 100 + i,
      answered: 100,
    }));
    return cell(10_000, { profile: name, rateRps: 1000, parts: seen });
  });
  const page = renderFidelity({ ...generators, mixes: measured("2031-01-02", cells) });
  expect(page).toContain("all p50 1.00, p90 1.00, p99 3.16, p99.9 10.00.");
  const row = (name: string): string[] =>
    (page.split("\n").find((line) => line.startsWith(`| ${name} |`)) ?? "").split(" | ");
  const [, rate, p50, , p99, , answered] = row("slow, 1 of 10");
  expect([rate, p50, p99, answered]).toEqual([
    "1,000",
    "**10.1 (+8.69)**",
    "10.1 (+0.10)",
    "100 of 101",
  ]);
  expect(row("farthest of 7 that are alike, 1 of 14").slice(4, 7)).toEqual([
    "**10.7 (+0.70)**",
    expect.stringMatching(/thin$/),
    "700 of 728",
  ]);
  expect(row("all")[6]).toBe("200 of 201");
});
