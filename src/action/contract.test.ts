// action.yml, the manual and the code say the same.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { INPUTS, type InputSpec, inputSpec, OUTPUTS } from "./contract.ts";
import { fillTables, renderActionYaml } from "./render-contract.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

test("action.yml is of this contract: npm run generate", () => {
  expect(read("action.yml")).toBe(renderActionYaml());
});

test("the manual's tables are of this contract: npm run generate", () => {
  const manual = read("docs/action.md");
  expect(fillTables(manual)).toBe(manual);
  for (const { name } of [...INPUTS, ...OUTPUTS]) expect(manual).toContain(`\`${name}\``);
});

test("action.yml is YAML that a runner understands", () => {
  const action = parse(read("action.yml"));
  expect(action.runs).toEqual({ using: "node24", main: "dist/action.cjs" });
  for (const { name, default: value } of INPUTS as readonly InputSpec[]) {
    expect(action.inputs[name], name).toMatchObject({ required: false, default: value });
  }
  expect(Object.keys(action.outputs)).toEqual(OUTPUTS.map(({ name }) => name));
});

test("what is handed to upload-artifact has no hidden name, which it would leave out", () => {
  expect(inputSpec("output-folder").default).not.toMatch(/(^|\/)\./);
});

test("every output is set somewhere", () => {
  const folder = join(ROOT, "src/action");
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  for (const { name } of OUTPUTS) expect(sources, name).toContain(`output("${name}"`);
});

test("inputs and outputs that workflows of this repository and the examples use exist", () => {
  const files = [".github/workflows", "examples", "examples/fork-safe"].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".yml"))
      .map((name) => join(folder, name)),
  );
  const known = new Set<string>(INPUTS.map(({ name }) => name));
  const steps = files.flatMap((file) => {
    const jobs: Record<string, { steps?: Record<string, unknown>[] }> = parse(read(file)).jobs;
    return Object.values(jobs).flatMap(({ steps = [] }) => steps.map((step) => ({ file, step })));
  });
  const ours = steps.filter(({ step }) => /^(\.\/|tailgate\/tailgate@)/.test(String(step.uses)));
  expect(ours.length).toBeGreaterThan(5);
  for (const { file, step } of ours) {
    for (const name of Object.keys((step.with ?? {}) as object)) {
      expect(known.has(name), `${file}: ${name}`).toBe(true);
    }
  }
});
