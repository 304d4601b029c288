// An interrupted search goes on with what it has, and only with the same question.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCapacitySamples } from "../../../test/support/capacity.ts";
import { sharedFolder } from "../../../test/support/files.ts";
import { makeArtifactFacts } from "../../../test/support/samples.ts";
import type { CapacitySamples } from "../../core/capacity/model.ts";
import { continuedCapacity, readEarlierCapacity } from "./resume.ts";

const folder = sharedFolder();

const interrupted = makeCapacitySamples({ launches: 4, interrupted: true });
const fresh: CapacitySamples = {
  ...interrupted,
  launches: [],
  run: { ...interrupted.run, id: "b" },
};

test("completed launches are kept, an interrupted one is measured again", () => {
  const begun = continuedCapacity(interrupted, fresh, "c.json");
  expect(interrupted.launches).toHaveLength(4);
  expect(begun.launches).toEqual(interrupted.launches.slice(0, 3));
  expect(begun.run).toEqual({ ...interrupted.run, state: "running", ended: "running" });
});

test("what was read from a file is the same question, whatever the order of its keys", () => {
  const path = join(folder, "written.json");
  writeFileSync(path, JSON.stringify(interrupted));
  const { scenario, settings } = fresh;
  const reversed = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).reverse()) as T;
  const again = { ...fresh, scenario: reversed(scenario), settings: reversed(settings) };
  const begun = continuedCapacity(readEarlierCapacity(path), again, path);
  expect(begun.launches).toHaveLength(3);
});

test("a launch that failed is a result; more launches and more time may be asked for", () => {
  const crashed = makeCapacitySamples({ launches: 4, crashInLaunch: 1, interrupted: true });
  const more = { ...crashed.settings, launches: 9, timeBudgetMs: 1 };
  const begun = continuedCapacity(crashed, { ...crashed, settings: more }, "c.json");
  expect(begun.launches).toEqual(crashed.launches.slice(0, 3));
  expect(begun.settings).toEqual(more);
});

test("a run with another build, scenario, machine or settings is not continued", () => {
  const check = (change: Partial<CapacitySamples>, words: string): void => {
    expect(() => continuedCapacity(interrupted, { ...fresh, ...change }, "c.json")).toThrow(
      `--resume: c.json cannot be continued: ${words}`,
    );
  };
  const { host, scenario, settings } = fresh;
  const artifact = makeArtifactFacts("another");
  check({ artifact }, "the builds differ");
  check({ scenario: { ...scenario, connections: 9 } }, "the scenario differs");
  check({ settings: { ...settings, objectiveUs: 1 } }, "objective, tries or precision differ");
  const fingerprint = { ...host.fingerprint, cpus: 99 };
  check({ host: { ...host, fingerprint } }, "it is another machine");
});

test("only an unfinished run is continued", () => {
  const path = join(folder, "c.json");
  expect(() => readEarlierCapacity(path)).toThrow(`--resume: there is no ${path}`);
  writeFileSync(path, JSON.stringify(makeCapacitySamples({ launches: 2 })));
  expect(() => readEarlierCapacity(path)).toThrow("is complete (all launches are measured)");
  writeFileSync(path, JSON.stringify(interrupted));
  expect(readEarlierCapacity(path)).toEqual(interrupted);
});
