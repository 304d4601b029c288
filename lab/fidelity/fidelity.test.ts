import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderStored } from "./fidelity.ts";

test("docs/fidelity.md is what the stored results say, to the byte", () => {
  expect(renderStored()).toBe(readFileSync("docs/fidelity.md", "utf8"));
});
