// What of a samples file becomes a baseline, and what of it never does.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestRepository, type TestRepository } from "../../../test/support/build.ts";
import { FIRST } from "../../../test/support/configurations.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { Baseline } from "../../core/model/baseline.ts";
import type { Round, Samples } from "../../core/model/samples.ts";
import { openProject } from "../project/project.ts";
import { recordBaselines } from "./record.ts";

let repository: TestRepository;
beforeAll(() => {
  repository = makeTestRepository();
  repository.write("tailgate.yml", FIRST);
  repository.commit("first");
});
afterAll(() => repository[Symbol.dispose]());

async function recorded(samples: Samples): Promise<Baseline | undefined> {
  const from = join(repository.path, "samples.json");
  writeFileSync(from, JSON.stringify(samples));
  const environment = makeEnvironment(repository.path);
  const project = await openProject({}, environment);
  const { baselines } = await recordBaselines({ mode: "record", from }, project, environment);
  return baselines[0];
}

const quiet = (recipe: Partial<SamplesRecipe> = {}): Samples =>
  makeSamples({ rounds: 16, noise: 0.005, ...recipe });

/** Past the last of the others. */
const LATER_MS = 1e9;

/** As when the first scenario is decided, the others get its time, and the service grows by it. */
function longer(round: Round, i: number): Round {
  const { candidate, reference } = round.launches ?? {};
  const grown = (launch: typeof candidate) => ({
    requests: 20_000,
    values: { rss: 2 * (launch?.values.rss ?? 0) },
  });
  return {
    ...round,
    index: 100 + i,
    startedAtMs: round.startedAtMs + LATER_MS,
    endedAtMs: round.endedAtMs + LATER_MS,
    launches: { candidate: grown(candidate), reference: grown(reference ?? undefined) },
    scenarios: round.scenarios.map((entry) => ({
      ...entry,
      slices: [...entry.slices, ...entry.slices.map((s) => ({ ...s, pair: s.pair + 4 }))],
    })),
  };
}

test("a run that answered what it was asked: every launch", async () => {
  const baseline = await recorded(quiet());
  expect(baseline?.metrics.rss).toHaveLength(16);
});

test("rounds of another load are left out", async () => {
  const samples = quiet();
  const rounds = [...samples.rounds, ...samples.rounds.slice(0, 6).map(longer)];
  const [mixed, plain] = [await recorded({ ...samples, rounds }), await recorded(samples)];
  expect(mixed?.metrics).toEqual(plain?.metrics);
});

const untrusted: [string, Samples, RegExp][] = [
  ["too few launches", quiet({ rounds: 4 }), /has 4 launches under the whole load, 8 are needed/],
  ["what stayed undecided", quiet({ noise: 0.6 }), /inconclusive: /],
  [
    "too few rounds of the whole load",
    { ...quiet(), rounds: quiet().rounds.map((round, i) => (i < 5 ? round : longer(round, i))) },
    /has 5 launches under the whole load, 8 are needed/,
  ],
  ["a run that was stopped", quiet({ state: "interrupted" }), /not complete/],
  ["a crash", quiet({ crashInRound: 12 }), /exited with code 70/],
];
test.each(untrusted)("refused: %s", async (_, samples, words) => {
  await expect(recorded(samples)).rejects.toThrow(words);
});

test("refused: uncommitted changes, by their paths, but for those of the baselines", async () => {
  using changed = makeTestRepository();
  changed.write("tailgate.yml", FIRST);
  changed.write("old.txt", "1");
  changed.commit("first");
  changed.write("baselines/default/_profile.json", "{}");
  changed.write("tailgate.yml", `${FIRST}\n`);
  changed.git("mv", "old.txt", "baselines.txt");
  const environment = makeEnvironment(changed.path);
  const project = await openProject({}, environment);
  const recorded = recordBaselines({ mode: "record", from: null }, project, environment);
  await expect(recorded).rejects.toMatchObject({
    message: expect.stringMatching(/names the commit it came from/),
    detail: "baselines.txt\nold.txt\ntailgate.yml",
  });
});
