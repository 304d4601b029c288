import { defineConfig } from "vitest/config";

/** Tests that start processes, real git among them: minutes. */
const LIVE = [
  "src/action/**/*-live.test.ts",
  "src/build/**/*.test.ts",
  "src/app/**/*-live.test.ts",
  "src/github/c*.test.ts",
  "src/publish/**/*-live.test.ts",
  "src/run/round.test.ts",
  "src/run/service/**/*.test.ts",
  "src/run/**/*-live.test.ts",
  "src/run/host/lock.test.ts",
  "src/sys/**/*.test.ts",
  "test/bundle.test.ts",
  "test/evidence/page.test.ts",
  "test/evidence/working-copy.test.ts",
  "test/fake-github/*.test.ts",
];

/** Tests that simulate, change or judge something thousands of times: a minute. */
const SIMULATED = [
  "src/action/calibrate-mode.test.ts",
  "src/app/calibrate-p*.test.ts",
  "src/cli/calibrate.test.ts",
  "src/config/strange-text.test.ts",
  "src/plan/*-simulation.test.ts",
  "src/publish/hostile.test.ts",
  "src/verdict/*simulation*.test.ts",
  "test/evidence/{drift,history,lean,promises,replay}.test.ts",
  "test/mutations.test.ts",
];

/** All others touch nothing, not even what another one has imported, and take seconds. */
const TOUCHES_NOTHING = { isolate: false, maxWorkers: "100%" };

export default defineConfig({
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          ...TOUCHES_NOTHING,
          name: "unit",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/e2e/**", ...LIVE, ...SIMULATED],
        },
      },
      { extends: true, test: { ...TOUCHES_NOTHING, name: "simulated", include: SIMULATED } },
      { extends: true, test: { name: "live", include: LIVE } },
    ],
  },
});
