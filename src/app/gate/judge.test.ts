// Judging a samples file with another configuration: waivers are looked at on the day of the gate,
// whatever day it is now.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Samples } from "../../core/model/samples.ts";
import { silentProgress } from "../progress.ts";
import type { Environment } from "../settings.ts";
import { judgeFile } from "./judge.ts";

const folder = sharedFolder();

const notes: string[] = [];
/** Judging asks for nothing else of its environment, least of all for its clock. */
const environment = {
  workingFolder: folder,
  progress: { ...silentProgress, note: (text: string) => void notes.push(text) },
} as Environment;

/** The samples say 2026-01-02. `limits`: of the scenario that is 25 % slower. */
async function judged(waivers: string, limits = "", only?: string): Promise<string> {
  const samples = makeSamples({ rounds: 28, noise: 0.03, p99Ratio: { "api/echo": 1.25 } });
  if (only !== undefined) keepOnly(only, samples);
  writeFileSync(join(folder, "samples.json"), JSON.stringify(samples));
  writeFileSync(
    join(folder, "tailgate.yml"),
    `version: 1
services:
  api: { artifact: bin/api, env: { ADDR: "{port}" } }
scenarios:
  echo: { request: GET /echo, rate: 500/s${limits} }
  hello: { request: GET /hello, rate: 500/s }
metrics:
  p99: { absoluteFloor: 1us }
${waivers}`,
  );
  const { report } = await judgeFile(
    { samples: "samples.json", config: "tailgate.yml", baselines: "none", history: [], out: null },
    environment,
  );
  return report.verdict.state;
}

/** As a run of some scenarios leaves it. */
function keepOnly(id: string, samples: Samples): void {
  const { config, rounds } = samples;
  config.scenarios = config.scenarios.filter((scenario) => scenario.id === id);
  for (const round of rounds) {
    round.scenarios = round.scenarios.filter(({ scenario }) => scenario === id);
  }
}

const waiver = (expires: string): string => `waivers:
  - metric: p99
    scenario: echo
    upTo: +40%
    reason: answers are signed now
    owner: Ada
    expires: ${expires}
`;

test("the configuration's waivers count, and its policy", async () => {
  expect(await judged("")).toBe("regressed");
  expect(await judged(waiver("2026-06-30"))).toBe("pass");
});

test("one that has expired since still counts; one that had then does not", async () => {
  expect(await judged(waiver("2026-01-02"))).toBe("pass");
  await expect(judged(waiver("2026-01-01"))).rejects.toThrow(
    /tailgate\.yml:15:14: waivers\[0\]\.expires: this waiver expired on 2026-01-01 and today is 2026-01-02/,
  );
});

test("the limits of a scenario are the configuration's, like all others", async () => {
  const wide = ", metrics: { p99: { margin: 60%, floor: 50% } }";
  expect(await judged("", wide)).toBe("pass");
});

test("samples of one scenario are judged by a configuration of several, which is said", async () => {
  notes.length = 0;
  expect(await judged("", "", "api/echo")).toBe("regressed");
  expect(await judged("", "", "api/hello")).toBe("pass");
  expect(notes).toEqual([
    "not in these samples, and not judged: api/hello",
    "not in these samples, and not judged: api/echo",
  ]);
});
