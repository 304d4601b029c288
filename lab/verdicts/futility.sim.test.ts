// Which stored runs are told, while they are measured, that their time is too little for so noisy a
// host: at the end of which turn for the first time, and at how many of all. Recorded anew like
// verdicts.txt.
import { expect, test } from "vitest";
import { hostNoise } from "../../src/core/verdict/disturbances.ts";
import { openQuestions } from "../../src/core/verdict/judge.ts";
import { gatedOf } from "../evidence/questions.ts";
import { readRuns, type StoredRun } from "../evidence/runs.ts";
import { RUNS } from "../evidence/working-copy.ts";

/** Minutes at which it is told, of all turns. */
function toldTo({ samples }: StoredRun): { minutes: number[]; turns: number } {
  const { config, run } = samples;
  const step = config.services.length;
  const turns = Math.floor((samples.rounds.length - 1) / step);
  const minutes = Array.from({ length: turns }, (_, turn) => {
    const rounds = samples.rounds.slice(0, (turn + 1) * step);
    const measuredMs = rounds.at(-1)?.endedAtMs ?? 0;
    const { slices, disturbed } = hostNoise(rounds);
    // Minutes less: where most of the host is calm, ratios that spread are told of for long.
    if (3 * disturbed < slices && turn % 5 !== 4) return [];
    const { futility } = openQuestions({
      samples: { ...samples, rounds, run: { ...run, measuredMs } },
      baselines: [],
      leftMs: config.policy.timeBudgetMs - measuredMs,
    });
    return futility === null ? [] : [measuredMs / 60_000];
  }).flat();
  return { minutes, turns };
}

test("no stored run that got an answer was told that it would not", {
  timeout: 120_000,
}, async () => {
  const told = readRuns(RUNS)
    .map((run) => ({ ...run, ...toldTo(run) }))
    .filter(({ minutes }) => minutes.length > 0);
  const lines = told.map(
    ({ name, disturbance, verdict, minutes, turns }) =>
      `${name} ${disturbance} ${verdict.state}: ${minutes[0]?.toFixed(1)} min, ${minutes.length} of ${turns} turns`,
  );
  await expect(lines.map((one) => `${one}\n`).join("")).toMatchFileSnapshot("futility.txt");
  // One that is invalid by one scenario may have left questions of others open.
  const isOpen = (run: Pick<StoredRun, "verdict" | "samples">): boolean =>
    ["inconclusive", "invalid"].includes(run.verdict.state) &&
    gatedOf(run).some(({ state }) => state === "inconclusive");
  expect(told.filter((run) => !isOpen(run))).toEqual([]);
});
