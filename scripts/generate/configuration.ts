// The tables of docs/configuration.md: every key of tailgate.yml with what it means (waivers.md has
// theirs), from the schema that editors use; and what is judged of a service by default.

import { DURATION, PERCENTAGE, SIZE } from "../../src/core/config/units.ts";
import { METRIC_FACTS, QUESTIONS } from "../../src/core/model/metric.ts";
import { renderSchemas } from "./json-schemas.ts";
import { code, type Tables, table } from "./tables.ts";

export interface Node {
  description?: string;
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  required?: string[];
  items?: Node;
  anyOf?: Node[];
  oneOf?: Node[];
}

/** It and its alternatives. */
function formsOf(node: Node): Node[] {
  return [node, ...(node.anyOf ?? []), ...(node.oneOf ?? [])];
}

function keysOf(node: Node): Record<string, Node> {
  return Object.assign({}, ...formsOf(node).map(({ properties = {} }) => properties));
}

/** In every form that has it at all. */
function isRequired(node: Node, name: string): boolean {
  return formsOf(node)
    .filter(({ properties = {} }) => name in properties)
    .every(({ required = [] }) => required.includes(name));
}

/** The first one's keys are a scenario's; of the others their own row tells them. */
const WITHOUT_ROWS_BELOW = [
  "before.request",
  "memory",
  "request.bodyRepeat",
  "answers",
  "runner.cpus",
];

/** The first counts no more; of the others the rows beside them tell all. */
const WITHOUT_ROW = ["policy.looks", "stop", "build.command", "slice"];

/** Nested keys by their path; what holds keys and says nothing itself has no row. */
function rowsOf(node: Node, prefix = ""): [key: string, meaning: string][] {
  return Object.entries(keysOf(node)).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const inner = WITHOUT_ROWS_BELOW.includes(path) ? [] : rowsOf(child, `${path}.`);
    const must = isRequired(node, name) ? "Required. " : "";
    const text = `${must}${child.description ?? ""}`.trim();
    const isTold = WITHOUT_ROW.includes(path) || (text === "" && inner.length > 0);
    return isTold ? inner : [[path, text] as [string, string], ...inner];
  });
}

export const configurationSchema: Node = JSON.parse(
  renderSchemas().find(({ file }) => file === "config.schema.json")?.text ?? "{}",
);
const top = configurationSchema.properties ?? {};

function entryOf(name: string): Node {
  const entry = top[name]?.additionalProperties;
  if (typeof entry !== "object") throw new Error(`tailgate.yml has no entries of ${name}`);
  return entry;
}

const PROGRAM_KEYS = ["dir", "build", "inputs", "artifact", "run", "env", "ready", "stop"];

function without(node: Node, ...keys: readonly string[]): Node {
  const properties = Object.fromEntries(
    Object.entries(keysOf(node)).filter(([name]) => !keys.includes(name)),
  );
  const required = Object.keys(properties).filter((name) => isRequired(node, name));
  return { ...node, oneOf: [], properties, required };
}

const SECTIONS: Readonly<Record<string, () => Node>> = {
  // Its metrics, and those of a scenario, have the keys of all.
  services: () => without(entryOf("services"), "metrics"),
  // What builds and runs a program is as it is of a service.
  dependencies: () => without(entryOf("dependencies"), ...PROGRAM_KEYS),
  scenarios: () => without(entryOf("scenarios"), "metrics"),
  metric: () => top.metrics?.properties?.p99 ?? {},
  rest: () => ({
    properties: Object.fromEntries(
      Object.entries(top).filter(
        ([name]) =>
          !["version", "services", "dependencies", "scenarios", "metrics", "waivers"].includes(
            name,
          ),
      ),
    ),
  }),
};

function renderSection(section: () => Node): string {
  return table(
    ["key", "meaning"],
    rowsOf(section()).map(([key, meaning]) => [code(key), meaning]),
  );
}

const FORMATS = {
  us: (value: number) => DURATION.format(value / 1000),
  ms: (value: number) => DURATION.format(value),
  bytes: (value: number) => SIZE.format(value),
  count: String,
  share: PERCENTAGE.format,
};

/** Limits unless configured otherwise; metrics that have the same ones share a row. */
function renderMetrics(): string {
  const rows = Map.groupBy(QUESTIONS, ({ metric, estimator, usual }) => {
    const { level, margin, tolerance, floor, absoluteFloor } = usual;
    const limits =
      estimator === "counts"
        ? ["the error budget", "–", "–", "–"]
        : [
            ...[margin, tolerance, floor].map((value) => PERCENTAGE.format(value)),
            FORMATS[METRIC_FACTS[metric].unit](absoluteFloor),
          ];
    return JSON.stringify([level, ...limits]);
  });
  const named = ({ key, metric }: (typeof QUESTIONS)[number]): string =>
    key === METRIC_FACTS[metric].label || key.endsWith(".pooled")
      ? code(key)
      : `${code(key)} (${METRIC_FACTS[metric].label})`;
  return table(
    ["metrics", "level", "margin", "tolerance", "floor", "absolute floor"],
    [...rows].map(([limits, questions]) => [
      questions.map(named).join(", "),
      ...(JSON.parse(limits) as string[]),
    ]),
  );
}

/** The tables of docs/configuration.md. */
export const CONFIGURATION_TABLES: Tables = {
  ...Object.fromEntries(
    Object.entries(SECTIONS).map(([name, section]) => [name, () => renderSection(section)]),
  ),
  metrics: renderMetrics,
};
