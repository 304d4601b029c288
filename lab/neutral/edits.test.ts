import { describe, expect, test } from "vitest";
import { applyEdit, readTexts, SERVICES, titleOf } from "../edit.ts";
import { KINDS_OF_EDIT, NEUTRAL_EDITS } from "./edits.ts";
import { GO_EDITS } from "./go.ts";
import { RUST_EDITS } from "./rust.ts";

const sources = new Map(SERVICES.map((service) => [service, readTexts(".", service)]));
const sourcesOf = (service: (typeof SERVICES)[number]) => sources.get(service) ?? new Map();

test("each language has two edits of each kind, and none is left out", () => {
  for (const edits of [RUST_EDITS, GO_EDITS]) {
    const counts = Map.groupBy(edits, ({ kind }) => kind);
    expect([...counts.keys()].sort()).toEqual(Object.keys(KINDS_OF_EDIT).sort());
    for (const own of counts.values()) expect(own).toHaveLength(2);
  }
  expect(NEUTRAL_EDITS).toHaveLength(RUST_EDITS.length + GO_EDITS.length);
  expect(new Set(NEUTRAL_EDITS.map(titleOf)).size).toBe(NEUTRAL_EDITS.length);
});

describe("on the sources as they are", () => {
  test.each(NEUTRAL_EDITS.map((edit) => [titleOf(edit), edit] as const))("%s", (_, edit) => {
    const before = sourcesOf(edit.service);
    const after = applyEdit(before, edit);
    const changed = [...after].filter(([path, text]) => before.get(path) !== text);
    expect(changed).not.toEqual([]);
    // A test may follow a name; it is never what an edit is about.
    expect(changed.some(([path]) => !/^tests\/|_test\.go$/.test(path))).toBe(true);
    expect(applyEdit(before, edit)).toEqual(after);
  });

  test.each(SERVICES)("all edits of %s fit on each other", (service) => {
    const own = NEUTRAL_EDITS.filter((edit) => edit.service === service);
    expect(() => own.reduce(applyEdit, sourcesOf(service))).not.toThrow();
  });
});
