// What the gallery shows is what it says, and every picture in README and docs is of this version.
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seriesChanges } from "../../src/core/history/changes.ts";
import { Browser, HAS_CHROMIUM } from "../../test/support/chromium.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";
import { githubPage, HAS_CMARK } from "./github.ts";
import { KINDS, showKind } from "./kinds.ts";
import { hashesOf, MOST_BYTES, picturesOf, readHashes } from "./pictures.ts";
import { recordsOfStep } from "./step.ts";

const ROOT = join(import.meta.dirname, "../..");
const runs = readRuns(RUNS);
const pictures = picturesOf(runs);

test.each(Object.entries(KINDS))("%s is what it is called", (_, kind) => {
  const { verdict } = showKind(kind, runs).report;
  expect(verdict.state).toBe(kind.state);
  const red = verdict.comparisons.filter(
    ({ level, state }) => level === "gate" && state === "regressed",
  );
  expect(red.map(({ id }) => id)).toEqual(
    kind.red === null ? [] : [expect.stringMatching(`${kind.red}$`)],
  );
});

test("memory that was planted is found where it was, and as gone where it was not", () => {
  const records = recordsOfStep(runs);
  const planted = records.map(({ run }) => {
    const { plant } = runs.find(({ samples }) => samples.run.id === run.id) ?? {};
    return plant?.finds === "axum-api rss";
  });
  const [time, memory] = seriesChanges(records);
  expect(memory?.series).toBe("axum-api/rss");
  expect(memory?.changes.map(({ index }) => index)).toEqual([
    planted.indexOf(true),
    planted.lastIndexOf(true) + 1,
  ]);
  expect(time?.changes).toEqual([]);
});

test("every picture is of this version: node lab/gallery/render.ts --pictures", () => {
  expect(hashesOf(pictures)).toEqual(readHashes());
  for (const { file } of pictures)
    expect(statSync(join(ROOT, file)).size, file).toBeLessThan(MOST_BYTES);
});

test("every picture in README and docs is one of these", () => {
  const known = pictures.map(({ file }) => file);
  expect(globSync("docs/**/*.{png,jpg,gif,svg,webp}", { cwd: ROOT }).sort()).toEqual(known.sort());
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const shown = [...readme.matchAll(/!\[[^\]]*\]\((docs\/[^)]+)\)/g)].map(([, file]) => file);
  expect(known).toEqual(expect.arrayContaining(shown));
});

test("README says of its pictures what they are of", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8").replaceAll("\n", " ");
  const { report } = showKind(KINDS.latency, runs);
  const [gated] = report.verdict.comparisons.filter(({ state, level }) => {
    return state === "regressed" && level === "gate";
  });
  const added = runs.find(({ name }) => name === KINDS.latency.run)?.plant?.faults;
  const us = /latency_us=(\d+)/.exec(added ?? "")?.[1];
  const made = Math.round((gated?.candidate ?? 0) - (gated?.reference ?? 0));
  const minutes = (report.run.measuredMs / 60_000).toFixed(1);
  expect(readme).toContain(
    `${us} µs more in each request of \`/echo\`, of which queues make ${made} µs at p99. Red after ${minutes} minute`,
  );
  const [slower = ""] = /p99 of \S+ is [\d.]+ % slower/.exec(report.verdict.headline) ?? [];
  expect(readme).toContain(`REGRESSED, ${slower}, what to do next`);
  const records = recordsOfStep(runs);
  const planted = records.filter(({ run }) =>
    runs.some(({ kind, samples }) => kind === "rss+5" && samples.run.id === run.id),
  );
  expect([records.length, planted.length]).toEqual([37, 9]);
  expect(readme).toContain("*37 recorded gates; in nine of them 5 % more memory was planted.*");
});

/** Pixels of a telephone, of which GitHub's own head takes some. */
const A_SCREEN = 600;

test("a comment fits on a telephone, where what decides stands in sight", async (context) => {
  if (!HAS_CHROMIUM) context.skip("chromium not on PATH");
  if (!HAS_CMARK) context.skip("cmark-gfm not on PATH");
  await using browser = new Browser();
  for (const [name, kind] of Object.entries(KINDS)) {
    const html = githubPage(kind.title, showKind(kind, runs).comment);
    const page = await browser.open(html, { width: 400 });
    expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBe(400);
    expect(await page.evaluate("document.querySelector('h3').textContent"), name).toMatch(
      /^\S+ Tailgate: [A-Z]/,
    );
    const decides = "document.querySelector('h3 + p').getBoundingClientRect().bottom";
    expect(await page.evaluate<number>(decides), name).toBeLessThan(A_SCREEN);
  }
});
