import { defineConfig } from "vitest/config";

const NIGHT = process.env.TAILGATE_NIGHT === "1";

// The load is a fake oha's, so that files can run side by side. With TAILGATE_NIGHT=1 also what is
// run by night, some of it under real load: then one file at a time.
export default defineConfig({
  test: {
    include: ["test/act/**/*.e2e.test.ts", ...(NIGHT ? ["test/act/**/*.night.test.ts"] : [])],
    testTimeout: 600_000,
    hookTimeout: 300_000,
    fileParallelism: !NIGHT,
    maxWorkers: "100%",
  },
});
