import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CONFIGURATION_TABLES, configurationSchema, type Node } from "./configuration.ts";
import { fillTables } from "./tables.ts";

test("docs/configuration.md is up to date (npm run generate) and describes every key", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/configuration.md"), "utf8");
  expect(fillTables(page, CONFIGURATION_TABLES) === page).toBe(true);
  for (const name of Object.keys(CONFIGURATION_TABLES)) expect(page).toContain(`begin ${name} `);
  expect(page.split("\n").filter((line) => /^\| .*\| *\|$/.test(line))).toEqual([]);
});

/** Optional for a reason of their own: without them nothing is done that could be named. */
const WITHOUT_DEFAULT = [
  // One of these is given, of scenarios or else mix.
  "services.*.ready.http",
  "services.*.ready.tcp",
  "services.*.ready.log",
  "scenarios.*.request",
  "scenarios.*.request.path",
  "scenarios.*.request.pathPattern",
  "scenarios.*.request.pathsFile",
  // Each instead of a body, whose default is none.
  "scenarios.*.request.bodyFile",
  "scenarios.*.request.bodiesFile",
  "scenarios.*.request.json",
  // Counts no more.
  "policy.looks",
];

/** Of one place each: a program's keys are a service's, and other requests' are a scenario's. */
function placeOf(path: string): string {
  return path
    .replace(/^dependencies\.\*(?=\.ready\.)/, "services.*")
    .replace(/^(services\.\*\.before|scenarios\.\*\.mix\.\*)(?=\.request\.)/, "scenarios.*");
}

/** A mapping that may be left empty: its keys have the defaults. */
const isHolder = ({ properties, required = [] }: Node): boolean =>
  properties !== undefined && required.length === 0;

function optionalKeys(node: Node, path = ""): [path: string, key: Node][] {
  const { properties = {}, required = [], additionalProperties, items } = node;
  const below = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const alternatives = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return [
    ...Object.entries(properties).flatMap(([name, key]): [string, Node][] => {
      const inner = optionalKeys(key, `${path}${name}.`);
      return required.includes(name) ? inner : [[`${path}${name}`, key], ...inner];
    }),
    ...alternatives.flatMap((one) => optionalKeys(one, path)),
    ...[...below, ...(items === undefined ? [] : [items])].flatMap((one) =>
      optionalKeys(one, `${path}*.`),
    ),
  ];
}

test("every key that may be left out says what is then", () => {
  const keys = optionalKeys(configurationSchema).filter(([, key]) => !isHolder(key));
  expect(keys.length).toBeGreaterThan(80);
  const silent = keys
    .filter(([, { description = "" }]) => !/\bdefault\b/i.test(description))
    .map(([path]) => placeOf(path));
  expect([...new Set(silent)].sort()).toEqual(WITHOUT_DEFAULT.toSorted());
});
