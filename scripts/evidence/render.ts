// Writes docs/evidence.md from the samples in docs/evidence.
//
//   node scripts/evidence/render.ts [--from docs/evidence] [--to docs/evidence.md]
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EFFORT, renderEvidence } from "./page.ts";
import { readPlan } from "./plan.ts";
import { readStoredRuns } from "./runs.ts";
import { ROOT } from "./working-copy.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: join(ROOT, "docs/evidence") },
    to: { type: "string", default: join(ROOT, "docs/evidence.md") },
  },
});
writeFileSync(
  values.to,
  renderEvidence(readStoredRuns(values.from), readPlan(values.from), EFFORT),
);
