// The page of a recorded gate, judged by the present rule. README's picture is its top:
//
//   node lab/evidence/picture.ts 2026-11-23T153409Z-p99+20 > /tmp/page.html
//   chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1100,1360 \
//     --screenshot=docs/report.png file:///tmp/page.html
import { renderReportPage } from "../../satellites/pages/report.ts";
import { describeRun } from "../../src/core/report/words/verdict.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { readRuns } from "./runs.ts";
import { RUNS } from "./working-copy.ts";

const [name] = process.argv.slice(2);
const run = readRuns(RUNS).find((one) => one.name === name);
if (run === undefined) throw new Error(`no recorded run is called ${name}`);
const { samples } = run;
process.stdout.write(renderReportPage(describeRun(samples, judge({ samples, baselines: [] }))));
