import { defineConfig } from "vitest/config";

// One file at a time, one test at a time: they put load on the machine. Not named *.test.ts, so that the default run leaves
// them alone.
export default defineConfig({
  test: {
    include: ["test/act/**/*.act.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
