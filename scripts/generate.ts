// Writes what is generated from the sources: docs/schemas/ from the schemas, action.yml and the tables
// of docs/action.md from the action's contract, those of docs/configuration.md from the schema of
// tailgate.yml, README's figures from the evidence, and the commits behind `uses:` in pages and in
// what `init` writes. Tests fail when they are stale.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ACTION_TABLES, renderActionYaml } from "./generate/action.ts";
import { CONFIGURATION_TABLES } from "./generate/configuration.ts";
import { renderSchemas } from "./generate/json-schemas.ts";
import { FOLLOWS_PINS, readPins, repin } from "./generate/pins.ts";
import { readmeTables } from "./generate/readme.ts";
import { fillTables, type Tables } from "./generate/tables.ts";

const root = dirname(import.meta.dirname);

const schemas = join(root, "docs/schemas");
mkdirSync(schemas, { recursive: true });
for (const { file, text } of renderSchemas()) writeFileSync(join(schemas, file), text);

writeFileSync(join(root, "action.yml"), renderActionYaml());
fill("docs/action.md", ACTION_TABLES);
fill("docs/configuration.md", CONFIGURATION_TABLES);
fill("README.md", readmeTables(readFileSync(join(root, "lab/evidence/README.md"), "utf8")));

const pins = readPins(root);
for (const file of FOLLOWS_PINS) {
  const path = join(root, file);
  writeFileSync(
    path,
    repin(readFileSync(path, "utf8"), (action) => pins.get(action) ?? null),
  );
}

function fill(page: string, tables: Tables): void {
  const path = join(root, page);
  writeFileSync(path, fillTables(readFileSync(path, "utf8"), tables));
}
