import { expect, test } from "vitest";
import { makeSamples } from "../../../test/support/samples.ts";
import { wholeRounds } from "./parts.ts";
import type { Round, ScenarioRound } from "./samples.ts";

const samples = makeSamples({ rounds: 4, noise: 0 });

/** Whether the second of four rounds is whole once it is changed. */
function check(change: (round: Round) => Round, whole: boolean): void {
  const rounds = samples.rounds.map((round) => (round.index === 1 ? change(round) : round));
  const found = wholeRounds({ ...samples, rounds }).map(({ index }) => index);
  expect(found).toEqual(whole ? [0, 1, 2, 3] : [0, 2, 3]);
}

const withFirst = (round: Round, change: (entry: ScenarioRound) => ScenarioRound): Round => ({
  ...round,
  scenarios: round.scenarios.map((entry, i) => (i === 0 ? change(entry) : entry)),
});

test("as planned", () => check((round) => round, true));

test("one arm alone", () => {
  const alone = makeSamples({ rounds: 3, noise: 0, compare: "stored" });
  expect(wholeRounds(alone)).toEqual(alone.rounds);
});

test("a pair that was measured again", () => {
  const again = (entry: ScenarioRound): ScenarioRound => ({
    ...entry,
    slices: entry.slices.flatMap((slice) =>
      slice.pair === 2
        ? [{ ...slice, attempt: 0, void: { rule: "lag" as const, detail: "" } }, slice]
        : [slice],
    ),
  });
  check((round) => withFirst(round, again), true);
});

test("without a scenario that was decided", () =>
  check((round) => ({ ...round, scenarios: round.scenarios.slice(1) }), false));

test("with the time of decided ones", () =>
  check(
    (round) =>
      withFirst(round, (entry) => ({
        ...entry,
        slices: [...entry.slices, ...entry.slices.map((s) => ({ ...s, pair: s.pair + 4 }))],
      })),
    false,
  ));

test("a scenario that stayed void", () =>
  check(
    (round) =>
      withFirst(round, ({ arms, ...entry }) => ({
        ...entry,
        arms: { ...arms, candidate: { ...arms.candidate, pooled: null } },
      })),
    false,
  ));

test("a round that failed", () =>
  check(
    (round) => ({
      ...round,
      failure: { kind: "crash", arm: "candidate", scenario: null, text: "", detail: "" },
    }),
    false,
  ));
