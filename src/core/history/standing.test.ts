// What stands and what is over, by the sizes of a series' changes.
import { expect, test } from "vitest";
import { nightOf, tipOf } from "../../../test/support/history.ts";
import type { SeriesChange, SeriesHistory } from "../model/history.ts";
import { standingChanges } from "./standing.ts";

interface Facts {
  series?: string;
  /** Nights and log ratios; each is known to one percent. */
  changes: readonly (readonly [night: number, size: number])[];
  breakAt?: number;
}

function historyOf({ series = "api/rss", changes, breakAt }: Facts) {
  const points = Array.from({ length: 50 }, (_, day) => ({
    record: nightOf({ day }),
    chain: 0,
    ratio: null,
    standardError: null,
    afterBreak: day === breakAt,
  }));
  const commit = (night: number) => points[night]?.record.commit.sha ?? "";
  return {
    series,
    runnerClass: "default",
    points,
    changes: changes.map(
      ([index, estimate]): SeriesChange => ({
        index,
        until: index,
        after: commit(index - 1),
        by: commit(index),
        first: commit(index),
        size: { estimate, low: estimate - 0.01, high: estimate + 0.01 },
        foundAfter: index + 8,
        machineChanged: false,
      }),
    ),
  } satisfies SeriesHistory;
}

/** Night and what is left, in percent. */
const check = (facts: readonly Facts[], expected: readonly (readonly [string, number])[]) =>
  expect(
    standingChanges(facts.map(historyOf)).map(({ series, began, left }) => [
      `${series} ${began.run.id}`,
      Math.round(1000 * left.estimate) / 10,
    ]),
  ).toEqual(expected);

test("nothing on record", () => check([], []));
test("nothing changed", () => check([{ changes: [] }], []));
test("a change for the worse stands, one for the better does not", () => {
  check([{ changes: [[20, 0.05]] }], [["api/rss night-20", 5]]);
  check([{ changes: [[20, -0.05]] }], []);
});
test("below one percent nobody is called", () => check([{ changes: [[20, 0.0099]] }], []));
test("it is over when the level is back, within what can be told", () => {
  check(
    [
      {
        changes: [
          [20, 0.05],
          [30, -0.05],
        ],
      },
    ],
    [],
  );
  check(
    [
      {
        changes: [
          [20, 0.05],
          [30, -0.04],
        ],
      },
    ],
    [],
  );
});
test("what came back in part stands with the rest", () => {
  const some = [
    [20, 0.1],
    [30, -0.04],
  ] as const;
  check([{ changes: some }], [["api/rss night-20", 6]]);
});
test("of two changes the last is mended first", () => {
  const some = [
    [15, 0.05],
    [25, 0.06],
    [35, -0.06],
  ] as const;
  check([{ changes: some }], [["api/rss night-15", 5]]);
});
test("a baseline that has it in it accepts it", () => {
  check([{ changes: [[20, 0.05]], breakAt: 30 }], []);
  check(
    [
      {
        changes: [
          [20, 0.05],
          [40, 0.03],
        ],
        breakAt: 30,
      },
    ],
    [["api/rss night-40", 3]],
  );
});
test("the largest comes first", () =>
  check(
    [{ changes: [[20, 0.05]] }, { series: "api/cpuPer1k", changes: [[25, 0.07]] }],
    [
      ["api/cpuPer1k night-25", 7],
      ["api/rss night-20", 5],
    ],
  ));

/** Between which nights a change began, and the parent on record of each night's commit. */
const checkCommits = (
  [after, by]: readonly [number, number],
  parentOf: (day: number) => string | null,
  expected: number | null,
): void => {
  const history = historyOf({ changes: [[by, 0.05]] });
  const points = history.points.map((point, day) => {
    const { record } = point;
    return { ...point, record: { ...record, commit: { ...record.commit, parent: parentOf(day) } } };
  });
  const changes = history.changes.map((change) => ({ ...change, after: tipOf(after) }));
  const [standing] = standingChanges([{ ...history, points, changes }]);
  expect(standing?.commits).toBe(expected);
};

const before = (day: number): string => tipOf(day - 1);
test("commits of a range, each of which was measured", () => {
  checkCommits([19, 20], before, 1);
  checkCommits([17, 20], before, 3);
  checkCommits([20, 20], before, 0);
});
test("with one that was not measured nobody knows how many", () => {
  checkCommits([17, 20], (day) => (day === 18 ? "f".repeat(40) : before(day)), null);
  checkCommits([17, 20], (day) => (day === 18 ? null : before(day)), null);
  checkCommits([19, 20], () => null, null);
  checkCommits([17, 20], tipOf, null);
});
