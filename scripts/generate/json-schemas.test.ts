import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderSchemas } from "./json-schemas.ts";

const FOLDER = join(import.meta.dirname, "../../docs/schemas");

test.each(renderSchemas())(
  "docs/schemas/$file is up to date (npm run generate)",
  ({ file, text }) => {
    expect(readFileSync(join(FOLDER, file), "utf8") === text).toBe(true);
  },
);

test("the JSON schemas describe units, keys and meanings", () => {
  const config = renderSchemas().find(({ file }) => file.startsWith("config"));
  const schema = JSON.parse(config?.text ?? "");
  const scenario = schema.properties.scenarios.additionalProperties;
  expect(scenario.additionalProperties).toBe(false);
  expect(scenario.required).toEqual(["rate"]);
  expect(new RegExp(scenario.properties.rate.pattern).test("2000/s")).toBe(true);
  expect(scenario.properties.rate.description).toContain("Requests a second");
});
