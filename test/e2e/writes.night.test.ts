// Writes do not add up: each launch begins with a copy of its own, so that twelve rounds of orders leave
// the last one the rows and the size of the first. Real PostgreSQL, real load; latencies are told.
import { join } from "node:path";
import { expect, test } from "vitest";
import { median } from "../../src/core/stats/dispersion.ts";
import { LAUNCHES_SHOWN, RECIPES, repositoryOf, skipWithout } from "./recipes.ts";
import { betaFor, samplesOf, samplesWith } from "./tiny.ts";

const ROUNDS = 12;
const MOST_DRIFT = 0.02;

interface Begun {
  arm: string;
  rows: number;
  bytes: number;
}

/** The service writes down what it finds when it begins. */
const looks = (file: string): string => `
const { appendFileSync } = await import("node:fs");
const [[arm, rows, bytes]] = await database.query(
  "SELECT current_database(), count(*), pg_database_size(current_database()) FROM orders",
);
const begun = { arm, rows: Number(rows), bytes: Number(bytes) };
appendFileSync(${JSON.stringify(file)}, JSON.stringify(begun) + "\\n");
`;

/** From the first half of the values to the second, as a share. */
function drift(values: readonly number[]): number {
  const half = Math.floor(values.length / 2);
  return median(values.slice(-half)) / median(values.slice(0, half)) - 1;
}

test("twelve rounds of writes drift by less than 2 %", async (context) => {
  const recipe = RECIPES.find(({ folder }) => folder === "unique-ids");
  if (recipe === undefined) throw new Error("no such example");
  skipWithout(recipe.needs, context);
  const project = repositoryOf(recipe, {
    slice: { duration: "500ms", pairs: 1 },
    metrics: { slow: { level: "info" }, rss: { level: "info" }, ...LAUNCHES_SHOWN },
    policy: { beta: betaFor(20), timeBudget: "8m" },
  });
  const server = project.read("server.mjs");
  const found = join(project.root, ".git/begun");
  project.write(
    "server.mjs",
    server.replace("\n\nasync function", `\n${looks(found)}\nasync function`),
  );
  project.git("commit", "--quiet", "--all", "--amend", "--no-edit");
  const { child, finished } = project.start("gate", "--measure-unchanged", "--seed", "1");
  await samplesWith(project, ROUNDS, 800_000);
  child.kill("SIGTERM");
  await finished;
  const { rounds } = samplesOf(project);

  const begun: Begun[] = project
    .read(".git/begun")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const arms = Map.groupBy(begun, ({ arm }) => arm);
  expect(arms.size).toBeGreaterThanOrEqual(2);
  for (const [arm, own] of arms) {
    expect(new Set(own.map(({ rows }) => rows)), arm).toEqual(new Set([0]));
    expect(Math.abs(drift(own.map(({ bytes }) => bytes))), arm).toBeLessThan(MOST_DRIFT);
  }

  for (const arm of ["candidate", "reference"] as const) {
    const own = rounds.flatMap(({ scenarios }) => scenarios[0]?.arms[arm]?.pooled ?? []);
    for (const key of ["p50", "p99"] as const) {
      const values = own.map((latency) => latency[key]);
      console.info(`${arm} ${key}: ${percent(drift(values))}, µs by round: ${values.join(" ")}`);
    }
  }
});

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
