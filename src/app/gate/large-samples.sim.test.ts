// Within seconds the longest run of ten scenarios is judged, and a longer one than is looked at is
// refused.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { makeSamples } from "../../../test/support/samples.ts";
import type { Samples } from "../../core/model/samples.ts";
import { MAX_ROUNDS } from "../../core/untrusted/implausible.ts";
import type { Environment } from "../settings.ts";
import { judgeFile } from "./judge.ts";

/** Ten times what it takes: a busy machine stays within it, what grows with a square does not. */
const MOST_MS = 60_000;

const folder = sharedFolder();

async function stateOf(samples: Samples): Promise<string> {
  writeFileSync(join(folder, "samples.json"), JSON.stringify(samples));
  const { report } = await judgeFile(
    { samples: "samples.json", config: null, baselines: "none", history: [], out: null },
    { workingFolder: folder } as Environment,
  );
  return report.verdict.state;
}

test(
  "as many rounds as are looked at, of ten scenarios, are judged",
  async () => {
    const samples = makeSamples({ rounds: MAX_ROUNDS, noise: 0.03, whole: true });
    const names = Array.from({ length: 10 }, (_, i) => `s${i}`);
    const tenfold = <T>([one]: readonly T[], named: (one: T, name: string) => T): T[] =>
      names.flatMap((name) => (one === undefined ? [] : named(one, name)));
    samples.config.scenarios = tenfold(samples.config.scenarios, (one, name) => ({
      ...one,
      name,
      id: `api/${name}`,
    }));
    for (const round of samples.rounds) {
      round.scenarios = tenfold(round.scenarios, (one, name) => ({
        ...one,
        scenario: `api/${name}`,
      }));
    }
    expect(await stateOf(samples)).toBe("pass");
  },
  MOST_MS,
);

test(
  "ten thousand rounds are refused",
  async () => {
    const samples = makeSamples({ rounds: 1, noise: 0.03 });
    const rounds = Array.from({ length: 10_000 }, (_, index) =>
      samples.rounds.map((round) => ({ ...round, index })),
    ).flat();
    await expect(stateOf({ ...samples, rounds })).rejects.toThrow(
      /samples\.json is not a samples file of this version: more than 400 rounds of "api"$/,
    );
  },
  MOST_MS,
);
