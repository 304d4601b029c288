// What each load generator measures of a server whose latencies are known: lab/fidelity/README.md, from
// results.json.gz.
//
//   node lab/fidelity/fidelity.ts             writes the page (a second)
//   node lab/fidelity/fidelity.ts measure     measures first (eleven minutes; nothing else may run meanwhile)
//   node lab/fidelity/fidelity.ts measure --only transports,mixes     only these (four minutes); the rest stays
//
// Measuring needs Go, and oha and wrk2 on PATH: a generator that is not there is left out.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  type Measurement,
  measureFidelity,
  type Results,
  SECTIONS,
  type Section,
} from "./measure.ts";
import { renderFidelity } from "./page.ts";

const STORED = join(import.meta.dirname, "results.json.gz");
const PAGE = resolve(import.meta.dirname, "README.md");

export const readStored = (): Results =>
  JSON.parse(gunzipSync(readFileSync(STORED)).toString("utf8")) as Results;

/** `transports,mixes`; absent: all. */
export function parseSections(only: string | undefined): readonly Section[] {
  if (only === undefined) return SECTIONS;
  return only.split(",").map((name) => {
    const section = SECTIONS.find((one) => one === name);
    if (section === undefined) throw new Error(`--only ${name}: want ${SECTIONS.join(", ")}`);
    return section;
  });
}

/** What was not measured again stays as it was, with its own date and machine. */
export function mergeResults(
  stored: Results | null,
  { generators, ...others }: Partial<Record<Section, Measurement>>,
): Results {
  const tables = generators ?? stored;
  if (tables === null) throw new Error("nothing is stored: measure without --only first");
  const { transports, mixes } = { ...stored, ...others };
  return {
    ...tables,
    ...(transports === undefined ? {} : { transports }),
    ...(mixes === undefined ? {} : { mixes }),
  };
}

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { only: { type: "string" } },
  });
  if (positionals[0] === "measure") {
    const measured = await measureFidelity(parseSections(values.only), console.log);
    const results = mergeResults(existsSync(STORED) ? readStored() : null, measured);
    writeFileSync(STORED, gzipSync(JSON.stringify(results), { level: 9 }));
  }
  writeFileSync(PAGE, renderFidelity(readStored()));
}
