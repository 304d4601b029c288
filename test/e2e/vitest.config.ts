import { defineConfig } from "vitest/config";

const NIGHT = process.env.TAILGATE_NIGHT === "1";

// One file at a time, one test at a time: a gate has the machine to itself. With TAILGATE_NIGHT=1
// also what takes real load.
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.e2e.test.ts", ...(NIGHT ? ["test/e2e/**/*.night.test.ts"] : [])],
    testTimeout: 900_000,
    // The services are compiled.
    hookTimeout: 600_000,
    fileParallelism: false,
  },
});
