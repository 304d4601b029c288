// Judging a samples file: by another configuration, whose waivers are looked at on the day of the
// gate, whatever day it is now; and one that no measurement can have given.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { profileOfSpreads } from "../../../test/support/calibration.ts";
import { sharedFolder } from "../../../test/support/files.ts";
import { makeSamples, type SamplesRecipe } from "../../../test/support/samples.ts";
import type { Latency, Round, Samples, Slice, Window } from "../../core/model/samples.ts";
import { measurementFacts } from "../../core/report/gate/facts.ts";
import { configFromText } from "../config/load.ts";
import { writeProfile } from "../documents/profile.ts";
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

interface Asked {
  /** Of the service, and of the scenario that is slower, as written. */
  ofService?: string;
  ofScenario?: string;
  only?: string;
  /** Default: a scenario that is 25 % slower. */
  worse?: Partial<SamplesRecipe>;
}

/** The samples say 2026-01-02. */
async function judged(waivers: string, asked: Asked = {}): Promise<string> {
  const {
    ofService = "",
    ofScenario = "",
    only,
    worse = { p99Ratio: { "api/echo": 1.25 } },
  } = asked;
  const samples = makeSamples({ rounds: 28, noise: 0.03, ...worse });
  if (only !== undefined) keepOnly(only, samples);
  writeFileSync(join(folder, "samples.json"), JSON.stringify(samples));
  writeFileSync(
    join(folder, "tailgate.yml"),
    `version: 1
services:
  api: { artifact: bin/api, env: { ADDR: "{port}" }${ofService} }
scenarios:
  echo: { request: GET /echo, rate: 500/s${ofScenario} }
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

test("the limits of a scenario and of a service are the configuration's, like all others", async () => {
  const ofScenario = ", metrics: { p99: { margin: 60%, floor: 50% } }";
  expect(await judged("", { ofScenario })).toBe("pass");
  const worse = { rssRatio: { api: 1.1 } };
  expect(await judged("", { worse })).toBe("regressed");
  const ofService = ", metrics: { rss: { margin: 20%, floor: 15% } }";
  expect(await judged("", { worse, ofService })).toBe("pass");
});

test("samples of one scenario are judged by a configuration of several, which is said", async () => {
  notes.length = 0;
  expect(await judged("", { only: "api/echo" })).toBe("regressed");
  expect(await judged("", { only: "api/hello" })).toBe("pass");
  expect(notes).toEqual([
    "not in these samples, and not judged: api/hello",
    "not in these samples, and not judged: api/echo",
  ]);
});

interface First {
  samples: Samples;
  round: Round;
  slice: Slice;
  latency: Latency;
  window: Window;
}

/** The state of a run after a change, by its own configuration. */
async function stateAfter(
  change: (first: First) => unknown,
  p99Ratio: SamplesRecipe["p99Ratio"] = {},
): Promise<string> {
  const samples = makeSamples({ rounds: 28, noise: 0.03, whole: true, p99Ratio });
  const [round] = samples.rounds;
  const slice = round?.scenarios[0]?.slices[0];
  const window = slice?.windows?.[0];
  if (round === undefined || !slice?.latency || window === undefined) throw new Error("no slice");
  change({ samples, round, slice, latency: slice.latency, window });
  writeFileSync(join(folder, "samples.json"), JSON.stringify(samples));
  const { report } = await judgeFile(
    { samples: "samples.json", config: null, baselines: "none", history: [], out: null },
    environment,
  );
  return report.verdict.state;
}

const slicesIn = ({ rounds }: Samples): Slice[] =>
  rounds.flatMap(({ scenarios }) => scenarios.flatMap(({ slices }) => slices));

const SLOWER = { "api/echo": 1.25 };

test("a whole run is judged as it was measured", async () => {
  expect(await stateAfter(() => {})).toBe("pass");
  expect(await stateAfter(() => {}, SLOWER)).toBe("regressed");
});

test.each<{ name: string; change: (first: First) => unknown; told: RegExp }>([
  {
    name: "a round copied under another number",
    change: ({ samples, round }) => samples.rounds.push({ ...round, index: 28 }),
    told: /samples\.json cannot come from a measurement: round 28 of "api" repeats round 0 of "api"/,
  },
  {
    name: "answers of another status",
    change: ({ samples }) =>
      slicesIn(samples).map((slice) => Object.assign(slice, { statuses: { "500": 1000 } })),
    told: /round 0 of "api", "api\/echo", slices\[0\] \(candidate\) counts although 1000 of 1000 answers were not 200/,
  },
  {
    name: "nothing answered",
    change: ({ samples }) =>
      slicesIn(samples).map((slice) =>
        Object.assign(slice, { statuses: {}, latency: null, windows: undefined }),
      ),
    told: /slices\[0\] \(candidate\) counts although 0 of 1000 scheduled requests are accounted for/,
  },
  {
    name: "a p99 of a window that no clock resolves",
    change: ({ window }) => Object.assign(window, { p99: 5e-324 }),
    told: /rounds\[0\]\.scenarios\[0\]\.slices\[0\]\.windows\[0\]\.p99: expected 0 or at least 0\.001, found 5e-324/,
  },
])("a run that regressed, with $name, is refused", async ({ change, told }) => {
  await expect(stateAfter(change, SLOWER)).rejects.toThrow(told);
});

test.each<{ name: string; disturb: (slice: Slice) => unknown }>([
  {
    name: "a second late",
    disturb: (slice) => {
      slice.lag = { p50: 1e6, p99: 1e6, max: 1e6 };
      for (const window of slice.windows ?? []) window.lagMax = 1e6;
    },
  },
  {
    name: "without nine tenths of its CPUs",
    disturb: ({ host }) => Object.assign(host, { steal: 0.9 }),
  },
])("slices that count although each was $name prove no pass", async ({ disturb }) => {
  expect(await stateAfter(({ samples }) => slicesIn(samples).map(disturb))).toBe("inconclusive");
});

test("a margin that another configuration leaves to the profile is by the one beside the baselines", async () => {
  const samples = makeSamples({ rounds: 28, noise: 0.03 });
  writeFileSync(join(folder, "own.json"), JSON.stringify(samples));
  const text = `version: 1
services:
  api: { artifact: bin/api, env: { ADDR: "{port}" } }
scenarios:
  echo: { request: GET /echo, rate: 500/s }
  hello: { request: GET /hello, rate: 500/s }
metrics:
  p99: { margin: auto, absoluteFloor: 1us }
`;
  writeFileSync(join(folder, "auto.yml"), text);
  const marginBy = async (baselines: string) => {
    const { report } = await judgeFile(
      { samples: "own.json", config: "auto.yml", baselines, history: [], out: null },
      environment,
    );
    const facts = measurementFacts(report).margins;
    const echo = report.verdict.comparisons.find(({ id }) => id === "api/echo p99 typical");
    return [echo?.margin, String(facts).split("; ")[0]];
  };
  const { config } = samples;
  const profile = profileOfSpreads({ ...config, policy: configFromText(text, "auto.yml").policy });
  writeProfile(join(folder, "with", config.runner.class, "_profile.json"), profile);
  const named = "api/echo p99: margin";
  expect(await marginBy("none")).toEqual([
    0.1,
    `${named} 10 % (auto, but no profile tells of this here)`,
  ]);
  expect(await marginBy("with")).toEqual([
    0.07,
    `${named} 7 % (auto, from the profile of 2026-01-01)`,
  ]);
});
