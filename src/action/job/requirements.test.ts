// What is loaded after a build is loaded before it: a build could exchange the files.
import { expect, test } from "vitest";
import type { Satellites } from "../../app/settings.ts";
import type { Job } from "./job.ts";
import { openToBuild } from "./requirements.ts";

/** Those that a job uses once its builds have run, or may have. */
const LATER: readonly (keyof Satellites)[] = ["explain", "export", "pages", "sheets"];

test("each satellite of a job is loaded before its project is opened", async () => {
  const loaded: string[] = [];
  const satellites = Object.fromEntries(
    LATER.map((name) => [name, async () => void loaded.push(name)]),
  );
  const early: string[] = [];
  const useCases = {
    openProject: async () => void early.push(...loaded),
    keepsToken: async () => false,
  };
  await openToBuild({ useCases, environment: { satellites } } as unknown as Job, {});
  expect(early.sort()).toEqual([...LATER]);
});
