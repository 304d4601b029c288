// Writes what is generated from the sources: schemas/ from the schemas, action.yml and the tables of docs/action.md from the
// action's contract. Tests fail when they are stale.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fillTables, renderActionYaml } from "../src/action/render-contract.ts";
import { renderSchemas } from "../src/config/json-schemas.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const schemas = join(root, "schemas");
mkdirSync(schemas, { recursive: true });
for (const { file, text } of renderSchemas()) writeFileSync(join(schemas, file), text);

writeFileSync(join(root, "action.yml"), renderActionYaml());
const manual = join(root, "docs/action.md");
writeFileSync(manual, fillTables(readFileSync(manual, "utf8")));
