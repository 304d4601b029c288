// All neutral edits, in the order in which they are gated: the languages take turns, and every kind
// has its first edits before any has its second, so that half of the gates are a sample, too.
import type { Edit } from "../edit.ts";
import { GO_EDITS } from "./go.ts";
import { RUST_EDITS } from "./rust.ts";

export const KINDS_OF_EDIT: Readonly<Record<string, string>> = {
  route: "a new route",
  split: "a function split in two",
  rename: "a function renamed",
  move: "a function moved to a file of its own",
  module: "a new module, linked and not called",
  log: "another text of a log line",
  error: "another text of an error",
  dependency: "a patch release of a dependency",
  reorder: "declarations in another order",
  constant: "a literal made a constant",
  field: "one more field at the end of a struct",
  text: "a text for people that is compiled in",
};

export const NEUTRAL_EDITS: readonly Edit[] = [0, 1].flatMap((nth) =>
  Object.keys(KINDS_OF_EDIT).flatMap((kind) =>
    [RUST_EDITS, GO_EDITS].flatMap(
      (edits) => edits.filter((edit) => edit.kind === kind)[nth] ?? [],
    ),
  ),
);
