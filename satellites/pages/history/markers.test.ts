import { expect, test } from "vitest";
import { inOrder } from "../../../src/core/history/layout.ts";
import type { HistoryRecord } from "../../../src/core/model/history.ts";
import { ANCHOR, nightOf, SERIES, timeOf } from "../../../test/support/history.ts";
import { markersOf } from "./markers.ts";

const NEW = "b".repeat(40);
const named = (record: HistoryRecord, name: string): HistoryRecord => ({
  ...record,
  anchors: { api: { commit: record.anchors.api?.commit ?? "", name } },
});
const on = (day: number, kernel: string) => nightOf({ day, kernel });
const waived = (day: number, series: string[]): HistoryRecord => ({
  ...nightOf({ day }),
  waived: series,
});
const P99 = SERIES[1] ?? "";

const told = (records: HistoryRecord[]) =>
  markersOf({ records: inOrder(records), notes: [] }).map(({ at, of, what }) => [
    at,
    of,
    what.kind,
  ]);

test.each<{ name: string; records: HistoryRecord[]; expected: unknown[] }>([
  { name: "nothing new", records: [nightOf({ day: 1 }), nightOf({ day: 2 })], expected: [] },
  {
    name: "another anchor",
    records: [nightOf({ day: 1 }), nightOf({ day: 2, anchorCommit: NEW })],
    expected: [[timeOf(2), ["api/"], "anchor"]],
  },
  {
    name: "a release as anchor",
    records: [nightOf({ day: 1 }), named(nightOf({ day: 2, anchorCommit: NEW }), "api/v1.4.0")],
    expected: [[timeOf(2), ["api/"], "release"]],
  },
  {
    name: "a splice moves no anchor",
    records: [
      nightOf({ day: 1 }),
      nightOf({ day: 2, anchorCommit: NEW }),
      {
        ...nightOf({ day: 2, run: "s" }),
        run: { id: "s", url: null, startedAt: timeOf(2), shard: "splice" },
      },
      nightOf({ day: 3, anchorCommit: NEW }),
    ],
    expected: [[timeOf(2), ["api/"], "anchor"]],
  },
  {
    name: "two machines that take turns are told of once",
    records: [on(1, "6.1"), on(2, "6.2"), on(3, "6.1"), on(4, "6.2")],
    expected: [[timeOf(2), null, "machine"]],
  },
  {
    name: "a waiver, when it begins",
    records: [waived(1, []), waived(2, [P99]), waived(3, [P99]), waived(4, []), waived(5, [P99])],
    expected: [
      [timeOf(2), [P99], "waiver"],
      [timeOf(5), [P99], "waiver"],
    ],
  },
])("$name", ({ records, expected }) => {
  expect(told(records)).toEqual(expected);
});

test("what people noted stands in its time", () => {
  const records = [
    nightOf({ day: 1, anchorCommit: ANCHOR }),
    nightOf({ day: 3, anchorCommit: NEW }),
  ];
  const found = markersOf({ records, notes: [{ at: timeOf(2), text: "a note" }] });
  expect(found.map(({ what }) => what.kind)).toEqual(["note", "anchor"]);
});
