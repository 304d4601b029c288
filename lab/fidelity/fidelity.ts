// What each load generator measures of a server whose latencies are known: docs/fidelity.md, from
// results.json.gz.
//
//   node lab/fidelity/fidelity.ts             writes the page (a second)
//   node lab/fidelity/fidelity.ts measure     measures first (a quarter of an hour; nothing else may run meanwhile)
//
// Measuring needs Go, and oha and wrk2 on PATH: a generator that is not there is left out.
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { measureFidelity, type Results } from "./measure.ts";
import { renderFidelity } from "./page.ts";

const STORED = join(import.meta.dirname, "results.json.gz");
const PAGE = resolve(import.meta.dirname, "../../docs/fidelity.md");

export const renderStored = (): string =>
  renderFidelity(JSON.parse(gunzipSync(readFileSync(STORED)).toString("utf8")) as Results);

if (import.meta.main) {
  if (process.argv[2] === "measure") {
    const results = await measureFidelity(console.log);
    writeFileSync(STORED, gzipSync(JSON.stringify(results), { level: 9 }));
  }
  writeFileSync(PAGE, renderStored());
}
