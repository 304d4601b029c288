// Comments and pages as people see them, of gates that are recorded in lab/evidence, and of this
// repository's own history. Looked at before a release, and whenever words or drawings change.
//
//   node lab/gallery/render.ts [FOLDER]     writes them into a folder, which index.html opens
//   node lab/gallery/render.ts --pictures   takes the pictures of README and docs anew, by Chromium
//
// Comments become HTML by cmark-gfm: apt-get install cmark-gfm fonts-noto-color-emoji.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { renderReportPage } from "../../satellites/pages/report.ts";
import { readRuns } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";
import { parentOf, recordsOf } from "../history/from-evidence.ts";
import { githubPage } from "./github.ts";
import { KINDS, showKind } from "./kinds.ts";
import { historyPage, picturesOf, takePictures } from "./pictures.ts";
import { recordsOfStep } from "./step.ts";

const runs = readRuns(RUNS);
const [word = "build/gallery"] = process.argv.slice(2);

if (word === "--pictures") {
  await takePictures(picturesOf(runs));
} else {
  const folder = resolve(word);
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const links = Object.entries(KINDS).map(([name, kind]) => {
    const { report, comment } = showKind(kind, runs);
    write(`${name}.md`, comment);
    write(`${name}.comment.html`, githubPage(kind.title, comment));
    write(`${name}.report.html`, renderReportPage(report));
    return `${kind.title}: [comment](${name}.comment.html), [report](${name}.report.html)`;
  });
  write("history.html", historyPage(recordsOf(runs, parentOf)));
  write("step.html", historyPage(recordsOfStep(runs)));
  const histories =
    "history [of this repository](history.html), [of a change that was planted](step.html)";
  const all = [...links, histories];
  write("index.html", githubPage("gallery", all.map((one) => `- ${one}\n`).join("")));
  console.log(join(folder, "index.html"));
}
