import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderStored } from "./claims.ts";

test("docs/claims.md is what the stored samples say, to the byte", () => {
  expect(renderStored()).toBe(readFileSync("docs/claims.md", "utf8"));
});
