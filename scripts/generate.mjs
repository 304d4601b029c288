// Writes schemas/ from the schemas in src/; a test fails when they are stale.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderSchemas } from "../src/config/json-schemas.ts";

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), "schemas");
mkdirSync(folder, { recursive: true });
for (const { file, text } of renderSchemas()) writeFileSync(join(folder, file), text);
