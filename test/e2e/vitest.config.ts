import { defineConfig } from "vitest/config";

// One file at a time, one test at a time: they put load on the machine.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.e2e.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
