// The page of a recorded gate, judged by the present rule. README's picture is its top:
//
//   node lab/evidence/picture.ts 2026-11-23T135124Z-p99+20 > /tmp/page.html
//   chromium --headless=new --no-sandbox --hide-scrollbars --window-size=1100,1360 \
//     --screenshot=docs/report.png file:///tmp/page.html
import { join } from "node:path";
import { SamplesSchema } from "../../src/core/model/samples.ts";
import { renderHtml } from "../../src/core/report/gate/html/page.ts";
import { describeRun } from "../../src/core/report/words/report.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { readLines } from "../lines.ts";

const [name] = process.argv.slice(2);
const runs = readLines(join(import.meta.dirname, "runs.jsonl.zst")) as {
  name: string;
  samples: unknown;
}[];
const run = runs.find((one) => one.name === name);
if (run === undefined) throw new Error(`no recorded run is called ${name}`);
const samples = SamplesSchema.parse(run.samples);
process.stdout.write(renderHtml(describeRun(samples, judge({ samples, baselines: [] }))));
