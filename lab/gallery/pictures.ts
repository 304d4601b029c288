// The pictures of README and docs: which page each is of, and how much of it. What a picture was
// drawn from is kept as a hash, so that a test can say which is of an older version.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderHistoryPage } from "../../satellites/pages/history/page.ts";
import { renderReportPage } from "../../satellites/pages/report.ts";
import { seriesChanges } from "../../src/core/history/changes.ts";
import { inOrder } from "../../src/core/history/layout.ts";
import type { HistoryRecord } from "../../src/core/model/history.ts";
import { Browser } from "../../test/support/chromium.ts";
import type { StoredRun } from "../evidence/runs.ts";
import { githubPage } from "./github.ts";
import { KINDS, showKind } from "./kinds.ts";
import { recordsOfStep } from "./step.ts";

export const MOST_BYTES = 150_000;

const ROOT = join(import.meta.dirname, "../..");
const HASHES = join(import.meta.dirname, "pictures.json");

interface Picture {
  /** Of the repository. */
  file: string;
  /** Of the window, and of the picture at most. */
  width: number;
  height: number;
  /** What is drawn. */
  selector: string;
  /** What it follows from; HTML but for a comment, of which it is Markdown. */
  source: string;
  isComment?: true;
}

export function historyPage(records: readonly HistoryRecord[]): string {
  const trend = { records: inOrder(records), series: seriesChanges(records), notes: [] };
  return renderHistoryPage(trend, "tailgate");
}

export function picturesOf(runs: readonly StoredRun[]): readonly Picture[] {
  const { report, comment } = showKind(KINDS.latency, runs);
  const tail = showKind(KINDS.tail, runs);
  return [
    {
      file: "docs/comment.webp",
      width: 892,
      height: 1000,
      selector: ".comment",
      source: comment,
      isComment: true,
    },
    {
      file: "docs/report.webp",
      width: 1100,
      height: 1240,
      selector: "html",
      source: renderReportPage(report),
    },
    {
      file: "docs/curves.webp",
      width: 700,
      height: 600,
      selector: "figure",
      source: renderReportPage(tail.report),
    },
    {
      file: "docs/history.webp",
      width: 1180,
      height: 840,
      selector: "html",
      source: historyPage(recordsOfStep(runs)),
    },
  ];
}

export async function takePictures(pictures: readonly Picture[]): Promise<void> {
  // Without a font of emoji a comment's signs are empty boxes.
  if (execFileSync("fc-list", [":charset=1f534"]).length === 0) {
    throw new Error("no font has emoji: apt-get install fonts-noto-color-emoji");
  }
  await using browser = new Browser();
  for (const { file, width, height, selector, source, isComment } of pictures) {
    const html = isComment ? githubPage("comment", source) : source;
    const page = await browser.open(html, { width });
    const picture = await page.screenshot(selector, height);
    if (picture.length > MOST_BYTES) throw new Error(`${file} has ${picture.length} bytes`);
    writeFileSync(join(ROOT, file), picture);
  }
  writeFileSync(HASHES, `${JSON.stringify(hashesOf(pictures), null, 2)}\n`);
}

/** What a report's page carries draws nothing, and a script is another text in another runtime. */
const NOT_HASHED =
  /<script type="application\/json" id="report">[^<]*<\/script>|<script>[\s\S]*<\/script>|sha256-[^&]*/g;

/** By file. */
export function hashesOf(pictures: readonly Picture[]): Record<string, string> {
  const script = globSync("satellites/pages/{scale.ts,history/browser/*.ts}", { cwd: ROOT })
    .filter((path) => !path.endsWith(".test.ts"))
    .sort()
    .map((path) => readFileSync(join(ROOT, path), "utf8"));
  const style = readFileSync(join(import.meta.dirname, "github.ts"), "utf8");
  const hashOf = ({ source, isComment, width, height, selector }: Picture): string =>
    createHash("sha256")
      .update(`${width} ${height} ${selector} ${isComment ? style : ""}`)
      .update(source.replaceAll(NOT_HASHED, ""))
      .update(source.includes("<script>") ? script.join("") : "")
      .digest("hex");
  return Object.fromEntries(pictures.map((one) => [one.file, hashOf(one)]));
}

/** Of what the pictures in the repository were drawn from. */
export const readHashes = (): Record<string, string> => JSON.parse(readFileSync(HASHES, "utf8"));
