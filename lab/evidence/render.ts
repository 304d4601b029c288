// Writes lab/evidence/README.md from the stored runs.
//
//   node lab/evidence/render.ts
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderEvidence } from "./page.ts";
import { readRuns } from "./runs.ts";
import { RUNS } from "./working-copy.ts";

writeFileSync(join(import.meta.dirname, "README.md"), renderEvidence(readRuns(RUNS)));
