import { defineConfig } from "vitest/config";

const NIGHT = process.env.TAILGATE_NIGHT === "1";

// One file at a time, one test at a time: a gate has the machine to itself. With TAILGATE_NIGHT=1
// also what is run by night.
export default defineConfig({
  test: {
    include: ["test/act/**/*.e2e.test.ts", ...(NIGHT ? ["test/act/**/*.night.test.ts"] : [])],
    testTimeout: 300_000,
    fileParallelism: false,
  },
});
