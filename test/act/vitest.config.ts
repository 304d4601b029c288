import { defineConfig } from "vitest/config";

// One file at a time, one test at a time: they put load on the machine. Not named *.test.ts, so that the default run leaves
// them alone.
export default defineConfig({
  test: {
    include: ["test/act/**/*.act.ts"],
    // Of a test whose gates all use their time budgets and are asked again.
    testTimeout: 1_500_000,
    env: { TAILGATE_TEST_BEGAN_MS: String(Date.now()) },
    fileParallelism: false,
  },
});
