import { defineConfig } from "vitest/config";

// One file at a time, one test at a time: they put load on the machine.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.e2e.test.ts"],
    // A gate takes up to six minutes here, and three attempts where the host disturbs it.
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
