// Writes docs/evidence.md from the stored runs.
//
//   node lab/evidence/render.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderEvidence } from "./page.ts";
import { readRuns } from "./runs.ts";
import { ROOT, RUNS } from "./working-copy.ts";

writeFileSync(join(ROOT, "docs/evidence.md"), renderEvidence(readRuns(RUNS)));
