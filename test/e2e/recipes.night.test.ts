// Each repository of docs/examples/ under real load: unchanged it passes, and with a slower route it does
// not.
import { expect, test } from "vitest";
import { gatedIn } from "../support/project.ts";
import { LAUNCHES_SHOWN, plant, RECIPES, repositoryOf, skipWithout } from "./recipes.ts";

const USUAL = {
  metrics: { slow: { level: "warn" }, rss: { margin: "50%" }, ...LAUNCHES_SHOWN },
  policy: { timeBudget: "8m" },
};
/** Wide enough for a machine that does other things beside; errors are as rare as by default. */
const WIDE = { ...USUAL, metrics: { ...USUAL.metrics, p99: { margin: "100%" } } };

test.for(RECIPES)("$folder: unchanged it passes", async (recipe, context) => {
  skipWithout(recipe.needs, context);
  const project = repositoryOf(recipe, WIDE);
  const { code, stdout, stderr } = await project.run("gate", "--measure-unchanged", "--seed", "1");
  expect(code, stdout + stderr).toBe(0);
  expect(gatedIn(project.report(), "pass").length).toBeGreaterThan(1);
});

test.for(RECIPES)("$folder: a slower route is found", async (recipe, context) => {
  skipWithout(recipe.needs, context);
  // What is planted may be within the wide margin, and would pass.
  const project = repositoryOf(recipe, USUAL);
  plant(recipe, project);
  const { code, stdout, stderr } = await project.run("gate", "--seed", "1");
  expect(code, stdout + stderr).toBe(1);
  expect(gatedIn(project.report(), "regressed").join("\n")).toContain("p99");
});
