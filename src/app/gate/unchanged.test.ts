// A reference without a configuration: its service is the candidate's if it is made of the same files.
import { expect, test } from "vitest";
import { makeConfig, makeRecipe } from "../../../test/support/samples.ts";
import type { Scenario } from "../../core/model/config.ts";
import type { Git } from "../../machine/build/git.ts";
import type { Revision } from "../../machine/build/source.ts";
import type { ArmSetup } from "./arm-setup.ts";
import { findUnchanged } from "./unchanged.ts";

const { scenarios: WRITTEN } = makeConfig();

/** Of a service that is started where its files lie; `files`: as git lists them. */
function setupOf(files: string, scenarios: readonly Scenario[]): ArmSetup {
  const revision = { tree: files, objects: {} } as unknown as Revision;
  const recipe = makeRecipe({ dir: ".", build: [], artifact: null });
  return { revision, dependencies: [], services: { api: { revision, recipe, scenarios } } };
}

const entry = (id: string, path: string): string => `100644 blob ${id}\t${path}`;
const listed = (server: string, ...more: string[]): string =>
  [entry(server, "server.mjs"), entry("2", "README.md"), ...more].join("\0");
const CONFIGURATION = entry("3", "tailgate.yml");

/** A tree is what it lists. */
const git = { read: async (args: string[]) => args.at(-1) } as unknown as Git;
const place = { git, root: "/r", configPath: "/r/tailgate.yml" };

test.each([
  ["adds a configuration alone", listed("1", CONFIGURATION), listed("1"), WRITTEN, ["sources"]],
  ["adds one, and changes the code", listed("9", CONFIGURATION), listed("1"), WRITTEN, []],
  ["has nothing to ask", listed("1", CONFIGURATION), listed("1"), [], []],
])("a change that %s", async (_, candidate, reference, scenarios, expected) => {
  const arms = { candidate: setupOf(candidate, scenarios), reference: setupOf(reference, []) };
  const found = await findUnchanged(["api"], arms, place);
  expect(found.map(({ by }) => by)).toEqual(expected);
});
