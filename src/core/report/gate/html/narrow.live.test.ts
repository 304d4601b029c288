// The page on a telephone, in a real Chromium: what the gated table says is there to read, the
// plots' words are large enough, and nothing is pushed out of sight.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { REPORT_CASES } from "../../../../../test/support/report-cases.ts";
import { htmlText } from "../../../text/escape.ts";
import { renderHtml } from "./page.ts";

const WIDTH = 400;
/** Smaller than this is not read. */
const LEAST_FONT_PX = 11;

interface Seen {
  /** Of the whole page, in CSS pixels. */
  scrollWidth: number;
  /** Of the gated table's rows, what each cell says under which label, if it can be seen. */
  rows: { label: string; text: string; isSeen: boolean }[][];
  /** Of every word in a plot, as it is painted. */
  fonts: { text: string; px: number }[];
  text: string;
}

/** Runs in the browser. The page itself admits no script, so that it is looked at from around it. */
const LOOK = `
addEventListener("load", () => {
  const page = document.querySelector("iframe").contentDocument;
  const width = ${WIDTH};
  for (const details of page.querySelectorAll("details")) details.open = true;
  const isSeen = (element) => {
    const { left, right, height } = element.getBoundingClientRect();
    return left >= 0 && right <= width + 0.5 && right > left && height > 0;
  };
  const table = [...page.querySelectorAll("section")]
    .find((section) => section.querySelector("h2")?.textContent === "Gated metrics")
    ?.querySelector("table");
  const rows = [...(table?.querySelectorAll("tbody tr:not(.subject)") ?? [])].map((row) =>
    [...row.cells].map((cell) => ({
      label: cell.dataset.label ?? "",
      text: cell.textContent,
      isSeen: isSeen(cell),
    })),
  );
  const fonts = [...page.querySelectorAll("figure svg text")].map((text) => {
    const { a, b } = text.getScreenCTM();
    // Titles of axes are turned.
    return { text: text.textContent, px: parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b) };
  });
  const { scrollWidth } = page.documentElement;
  const seen = { scrollWidth, rows, fonts, text: page.body.innerText };
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.replaceChildren(out);
});`;

function look(name: string, context: TestContext): Seen {
  if (spawnSync("chromium", ["--version"]).status !== 0) context.skip("chromium not on PATH");
  const make = REPORT_CASES[name];
  if (make === undefined) throw new Error(`no case ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "tailgate-narrow-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "around.html");
  const frame = `<iframe style="width:${WIDTH}px;height:800px;border:0" srcdoc="${htmlText(renderHtml(make()))}"></iframe>`;
  writeFileSync(
    path,
    `<!doctype html><meta charset="utf-8"><body>${frame}<script>${LOOK}</script>`,
  );
  const dom = execFileSync(
    "chromium",
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-dev-shm-usage",
      `--user-data-dir=${join(folder, "profile")}`,
      "--dump-dom",
      `file://${path}`,
    ],
    { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, stdio: ["ignore", "pipe", "ignore"] },
  );
  const json = /<pre id="seen">(.*)<\/pre>/s.exec(dom)?.[1];
  if (json === undefined) throw new Error("the page was not looked at");
  const plain = json.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&nbsp;", "\u00a0");
  return JSON.parse(plain.replaceAll("&amp;", "&"));
}

test.each(["regressed-p99", "inconclusive", "unicode"])("%s at 400 px", (name, context) => {
  const { scrollWidth, rows, fonts, text } = look(name, context as unknown as TestContext);
  expect(scrollWidth).toBeLessThanOrEqual(WIDTH);

  expect(rows.length).toBeGreaterThan(0);
  for (const cells of rows) {
    const labels = cells.map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(["ref → cand", "change", "limits", "MDE", "n"]));
    expect(labels.some((label) => /interval$/.test(label))).toBe(true);
    expect(cells.filter(({ isSeen }) => !isSeen)).toEqual([]);
  }
  expect(text).toMatch(/limits a\/b: fails when/);

  expect(fonts.length).toBeGreaterThan(20);
  expect(fonts.filter(({ px }) => px < LEAST_FONT_PX)).toEqual([]);
});
