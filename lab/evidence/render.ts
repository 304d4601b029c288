// Writes the pages of lab/evidence, lab/neutral, lab/explain and lab/bisect from the stored runs.
//
//   node lab/evidence/render.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderBisected } from "../bisect/page.ts";
import { BISECTED_RUNS, readBisected } from "../bisect/runs.ts";
import { renderExplained } from "../explain/page.ts";
import { EXPLAINED_RUNS, readExplained } from "../explain/runs.ts";
import { renderNeutral } from "../neutral/page.ts";
import { renderEvidence } from "./page.ts";
import { readRuns } from "./runs.ts";
import { ROOT, RUNS } from "./working-copy.ts";

const runs = readRuns(RUNS);
writeFileSync(join(ROOT, "lab/evidence/README.md"), renderEvidence(runs));
writeFileSync(join(ROOT, "lab/neutral/README.md"), renderNeutral(runs));
const explained = renderExplained(readExplained(EXPLAINED_RUNS));
if (explained !== null) writeFileSync(join(ROOT, "lab/explain/README.md"), explained);
const bisected = renderBisected(readBisected(BISECTED_RUNS));
if (bisected !== null) writeFileSync(join(ROOT, "lab/bisect/README.md"), bisected);
