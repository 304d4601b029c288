// The picture in a real Chromium: read by keyboard, on any width, in light and dark.
import { beforeEach, expect, test } from "vitest";
import { section } from "../../../src/core/report/kit/blocks.ts";
import { Browser, HAS_CHROMIUM } from "../../../test/support/chromium.ts";
import { renderPage } from "../page.ts";

const HOSTILE = `server.<img src=x onerror=alert(1)>"</text></svg><script>alert(1)</script>`;
const frame = { depth: 1, width: 0.3, change: null, isNamed: false };
const PAGE = renderPage({
  ...{ title: "t", tool: "tailgate", id: "explanation", record: {} },
  document: {
    ...{ mark: null, headline: "Why", summary: [] },
    sections: [
      section("Where it goes", {
        kind: "figure",
        figure: {
          ...{ kind: "flame", title: "CPU per 1,000 requests", caption: "as wide as its share" },
          frames: [
            { ...frame, depth: 0, from: 0, width: 1, label: "all 9 → 10 ms", says: ["all", "x"] },
            {
              ...frame,
              from: 0,
              change: "more",
              isNamed: true,
              label: "▲ f",
              says: ["f", "1 → 3"],
            },
            { ...frame, from: 0.3, change: "less", label: "▼ g", says: ["g", "3 → 1"] },
            { ...frame, from: 0.6, label: HOSTILE, says: [HOSTILE, "2 → 2"] },
            { ...frame, from: 0.9, width: 0.01, label: "narrow", says: ["narrow", "0 → 0.1"] },
          ],
        },
      }),
    ],
  },
});

/** Of each frame, its place and label as painted; and what stands above all. */
const LOOK = `(() => {
  const isSeen = (element) => element.getBoundingClientRect().width > 0;
  return {
    scrollWidth: document.documentElement.scrollWidth,
    frames: [...document.querySelectorAll(".frame")].map((frame) => {
      const { left, right } = frame.querySelector(".ground").getBoundingClientRect();
      const fills = [...frame.querySelectorAll("svg rect")].map((one) => getComputedStyle(one).fill);
      return { left, right, label: frame.querySelector(":scope > svg text")?.textContent, fills };
    }),
    says: [...document.querySelectorAll(".says text")].filter(isSeen).map((one) => one.textContent),
    foreign: document.querySelectorAll("main img, main script").length,
  };
})()`;

interface Seen {
  scrollWidth: number;
  frames: { left: number; right: number; label?: string; fills: string[] }[];
  says: string[];
  foreign: number;
}

beforeEach((context) => {
  if (!HAS_CHROMIUM) context.skip("chromium not on PATH");
});

test.each([1280, 400])(
  "at %i px it is as wide as the page, and Tab tells each frame",
  async (width) => {
    await using browser = new Browser();
    const page = await browser.open(PAGE, { width, scripts: false });
    const { frames, says, ...rest } = await page.evaluate<Seen>(LOOK);
    expect(rest).toEqual({ scrollWidth: width, foreign: 0 });
    expect(says).toEqual([]);
    const [all, more, less, hostile, narrow] = frames;
    const whole = (all?.right ?? 0) - (all?.left ?? 0);
    expect(whole).toBeGreaterThan(width * 0.9);
    expect((more?.right ?? 0) - (more?.left ?? 0)).toBeCloseTo(whole * 0.3, 0);
    expect(less?.left).toBeCloseTo(more?.right ?? 0, 0);
    expect(more?.fills.join()).toContain("#flame-more");
    expect(less?.fills.join()).toContain("#flame-less");
    expect(hostile?.label).toBe(HOSTILE);
    expect(narrow?.label).toBeUndefined();

    const told: string[][] = [];
    for (const _ of frames) {
      await page.press("Tab");
      told.push((await page.evaluate<Seen>(LOOK)).says);
    }
    expect(told).toEqual([
      ["all", "x"],
      ["f", "1 → 3"],
      ["g", "3 → 1"],
      [HOSTILE, "2 → 2"],
      ["narrow", "0 → 0.1"],
    ]);
  },
);
