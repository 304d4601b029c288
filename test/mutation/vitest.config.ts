import { defineConfig } from "vitest/config";

// The tests that every mutant (stryker.json) is run against.
export default defineConfig({
  test: {
    include: ["src/core/{verdict,stats}/**/*.test.ts"],
    exclude: ["**/*.{live,sim,night}.test.ts"],
  },
});
