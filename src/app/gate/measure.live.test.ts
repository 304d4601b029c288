// The files of a run that another waited for: what becomes of them is decided once that one is over.
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { makeFolder } from "../../../test/support/files.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Samples, Source } from "../../core/model/samples.ts";
import type { Revision } from "../../machine/build/source.ts";
import { readSamples, writeSamples } from "../documents/samples.ts";
import type { PreparedRun, underLock } from "../machine/prepared-run.ts";
import { silentProgress } from "../progress.ts";
import type { Project, Resume } from "../project/project.ts";
import type { ArmSetup } from "./arm-setup.ts";
import { planGate } from "./gate.ts";
import { measure } from "./measure.ts";

const EMPTY = makeSamples({ rounds: 0, noise: 0.02 });
const { config, sources } = EMPTY;

/** What happens before the machine is free, and what was told, in order. */
let meanwhile = (): void => {};
let events: string[] = [];

vi.mock("../machine/prepared-run.ts", async (original) => ({
  ...(await original<object>()),
  underLock: (async (_lock, _environment, work) => {
    meanwhile();
    events.push("the machine is free");
    return await work();
  }) satisfies typeof underLock,
  // Nothing is left to measure: what the run begins with is its result.
  withPrepared: async (
    _plan: unknown,
    _environment: unknown,
    work: (prepared: object) => unknown,
  ) => await work({ ...EMPTY, artifacts: [], scenarios: [] } satisfies Partial<PreparedRun>),
}));

function setupOf(source: Source | null): ArmSetup {
  const revision = { source } as Revision;
  const services = config.services.map(({ name, recipe }) => [
    name,
    { revision, recipe, scenarios: config.scenarios },
  ]);
  return { revision, dependencies: [], services: Object.fromEntries(services) };
}

const ofRounds = (rounds: number): Samples =>
  makeSamples({ rounds, noise: 0.02, state: "interrupted" });

let out: string;
beforeEach(() => {
  out = makeFolder();
  events = [];
});
const at = (name: string): string => join(out, name);

/** What a run begins with that waits for one which has three rounds, and ends with five. */
async function afterWaiting(resume: Resume): Promise<Samples> {
  writeSamples(at("samples.v1.json"), ofRounds(3));
  meanwhile = () => writeSamples(at("samples.v1.json"), ofRounds(5));
  const note = (line: string): void => {
    if (line.includes("earlier")) events.push(line);
  };
  const environment = makeEnvironment(out, { progress: { ...silentProgress, note } });
  const asked = { ...config, compare: "base" };
  const project = { root: out, out, config: asked, resume, shard: null } as unknown as Project;
  const request = await planGate(project, [], environment);
  const arms = { candidate: setupOf(sources.candidate), reference: setupOf(sources.reference) };
  const resolved = { arms, unchanged: [], notes: [] };
  return await measure(
    { ...request, plan: { kind: "answers", compare: "base", resolved } },
    environment,
  );
}

test("a run that is not resumed keeps what the other measured, and says so when it is over", async () => {
  const { rounds } = await afterWaiting("never");
  expect(rounds).toEqual([]);
  expect(readSamples(at("earlier.samples.v1.json")).rounds).toHaveLength(5);
  expect(events).toEqual([
    "the machine is free",
    `${at("samples.v1.json")} is of an earlier run: it is kept as earlier.samples.v1.json until the next run`,
  ]);
});

test.each(["always", "if-it-fits"] as const)(
  "a run that is resumed (%s) goes on with all that the other measured",
  async (resume) => {
    expect((await afterWaiting(resume)).rounds).toHaveLength(5);
    expect(events).toEqual(["the machine is free"]);
  },
);
