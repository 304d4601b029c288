// docs/method.md shows the rules on a slice: all of them, with what they do and whom they blame.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DISTURBANCE_RULES, SLICE_RULES } from "../model/samples.ts";
import { SLICE_RULE_FACTS, type SliceRuleFacts } from "./rules.ts";

const METHOD = join(import.meta.dirname, "../../../docs/method.md");

const EFFECTS: Readonly<Record<SliceRuleFacts["spoils"], string>> = {
  arm: "discarded, held against its arm",
  slice: "discarded",
  calm: "counts, not calm",
  nothing: "counts",
};

test("the table of the documentation is the table of the code", () => {
  const rows = [...readFileSync(METHOD, "utf8").matchAll(/^\| `([a-z-]+)` \|(.+)\|$/gm)].map(
    ([, rule, cells = ""]) => [rule, ...cells.split("|").map((cell) => cell.trim())],
  );
  const told = rows.map(([rule, , effect, sometimes, always]) => [rule, effect, sometimes, always]);
  const known = Object.entries(SLICE_RULE_FACTS).map(([rule, { spoils, sometimes, always }]) => {
    return [rule, EFFECTS[spoils], sometimes.on, always.on];
  });
  expect(told.toSorted()).toEqual(known.toSorted());
});

test("what the host does discards nothing, and all else does", () => {
  const calm = SLICE_RULES.filter((rule) => SLICE_RULE_FACTS[rule].spoils === "calm");
  expect(calm.toSorted()).toEqual([...DISTURBANCE_RULES].toSorted());
});
