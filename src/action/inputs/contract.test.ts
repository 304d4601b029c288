// action.yml, the manual and the code say the same.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ACTION_TABLES, renderActionYaml } from "../../../scripts/generate/action.ts";
import { fillTables } from "../../../scripts/generate/tables.ts";
import { INPUT_NAMES, INPUTS, OUTPUTS } from "./contract.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

test("action.yml is generated from the contract (npm run generate)", () => {
  expect(read("action.yml")).toBe(renderActionYaml());
});

test("the manual's tables are generated from the contract (npm run generate)", () => {
  const manual = read("docs/action.md");
  expect(fillTables(manual, ACTION_TABLES)).toBe(manual);
  for (const name of [...INPUT_NAMES, ...Object.keys(OUTPUTS)])
    expect(manual).toContain(`\`${name}\``);
});

test("action.yml is valid YAML for a runner", () => {
  const action = parse(read("action.yml"));
  expect(action.runs).toEqual({ using: "node24", main: "dist/action.cjs" });
  for (const [name, { default: value = "" }] of Object.entries(INPUTS)) {
    expect(action.inputs[name], name).toMatchObject({ required: false, default: value });
  }
  expect(Object.keys(action.outputs)).toEqual(Object.keys(OUTPUTS));
});

test("the default output folder is not hidden: upload-artifact would skip it", () => {
  expect(INPUTS["output-folder"].default).not.toMatch(/(^|\/)\./);
});

const sourcesOf = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => read(join(folder, name)));

test("every output is set somewhere", () => {
  const sources = sourcesOf("src/action").join("\n");
  for (const name of Object.keys(OUTPUTS)) expect(sources, name).toContain(`output("${name}"`);
});

/**
 * Keys of GitHub's own YAML, of actions that are not ours, and of tailgate.yml, that messages tell
 * people to write.
 */
const OTHERS = [
  "actions",
  "artifact",
  "commit",
  "contents",
  "date",
  "fetch-depth",
  "isolation",
  "lfs",
  "name",
  "permissions",
  "persist-credentials",
  "policy",
  "pull-requests",
  "ref",
  "stop",
  "submodules",
  "text",
  "with",
];

test("every input that a message names exists", () => {
  const known = new Set<string>([...INPUT_NAMES, ...OTHERS]);
  const named = sourcesOf("src").flatMap((text) => [
    // Inline code in a message is `key: value`; in a template string its backticks are escaped.
    ...text.matchAll(/\\`([a-z][a-z-]*):(?: [^`\n]*)?\\`/g),
    ...[...text.matchAll(/"[^"\n]*"/g)].flatMap(([quoted]) => [
      ...quoted.matchAll(/`([a-z][a-z-]*):(?: [^`]*)?`/g),
    ]),
    ...text.matchAll(/with:\\n {2}([a-z-]+):/g),
  ]);
  const names = named.map(([, name = ""]) => name);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  // One of each form.
  expect(names).toEqual(expect.arrayContaining(["token", "comment", "workflow"]));
});

test("inputs and outputs that workflows of this repository and the examples use exist", () => {
  const runners = ["fork-safe", "hosted-runner", "private-runner"];
  const examples = ["docs/examples", ...runners.map((name) => `docs/examples/${name}`)];
  const files = [".github/workflows", ...examples].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".yml"))
      .map((name) => join(folder, name)),
  );
  const known = new Set<string>(INPUT_NAMES);
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

const PAGES = ["README.md", "docs", "docs/adr"].flatMap((place) =>
  place.endsWith(".md")
    ? [place]
    : readdirSync(join(ROOT, place))
        .filter((name) => name.endsWith(".md"))
        .map((name) => join(place, name)),
);

/** Keys that a page may write as `key: value` without speaking of an input. */
const OF_WORKFLOWS = [
  ...OTHERS,
  "concurrency",
  "contents",
  "date",
  "statuses",
  "issues",
  "timeout-minutes",
  "types",
  "uses",
  "verdict",
  "workflows",
];

/** Names of inputs in the steps of a page's YAML that use the action, and in its inline code. */
function inputsNamedIn(text: string): string[] {
  const steps = [
    ...text.matchAll(/uses: (?:tailgate\/tailgate@|\.\/).*\n(?<with>\s+with:\n(?:\s{6,}.*\n)+)?/g),
  ];
  return steps.flatMap(({ groups }) =>
    [...(groups?.with ?? "").matchAll(/^\s+([a-z-]+): \S/gm)].map(([, name = ""]) => name),
  );
}

test("every input that a page names exists", () => {
  const known = new Set<string>(INPUT_NAMES);
  const inSteps = PAGES.flatMap((page) => inputsNamedIn(read(page)));
  expect(inSteps.filter((name) => !known.has(name))).toEqual([]);
  // In the manual inline code is an input unless it is a key of the workflow's own.
  const inline = [...read("docs/action.md").matchAll(/`([a-z][a-z-]*):(?: [^`\n]*)?`/g)].map(
    ([, name = ""]) => name,
  );
  expect(inline).toEqual(expect.arrayContaining(["compare", "inconclusive", "comment"]));
  const others = new Set(OF_WORKFLOWS);
  expect(inline.filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
});
