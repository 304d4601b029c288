import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { renderStored } from "./claims.ts";

test("the page is what the stored samples say, to the byte", () => {
  expect(renderStored()).toBe(readFileSync("lab/claims/README.md", "utf8"));
});
