import { defineConfig } from "vitest/config";

// The tests that every mutant (stryker.json) is run against.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    include: ["src/core/stats/{betting,bounded-bets}.test.ts", "src/core/verdict/!(*.sim).test.ts"],
  },
});
