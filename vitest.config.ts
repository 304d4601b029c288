import { defineConfig } from "vitest/config";

/** Tests that start processes. */
const LIVE = "**/*.live.test.ts";
/** Tests that repeat something many times: a tenth of them by day (test/support/trials.ts). */
const SIMULATED = "**/*.sim.test.ts";
/** Tests for `./scripts/test --full` alone. */
const NIGHT = "**/*.night.test.ts";

/** Neither unit tests nor simulations share anything, not even what another test has imported. */
const TOUCHES_NOTHING = { isolate: false };

export default defineConfig({
  test: {
    testTimeout: 30_000,
    // Some remove a compiler's output, on a busy machine: only a hang takes longer.
    hookTimeout: 300_000,
    maxWorkers: "100%",
    setupFiles: "test/support/property-seed.ts",
    // What takes real load, and workflows: test/e2e and test/act have configurations of their own.
    exclude: ["node_modules/**", "build/**", "**/*.e2e.test.ts"],
    coverage: { include: ["{src,satellites}/**/*.ts"], exclude: ["**/*.test.ts"] },
    projects: [
      {
        extends: true,
        test: {
          ...TOUCHES_NOTHING,
          name: "unit",
          include: ["**/*.test.ts"],
          exclude: [LIVE, SIMULATED, NIGHT],
          globalSetup: "test/support/orphaned-snapshots.ts",
        },
      },
      {
        extends: true,
        // Nothing in a simulation depends on time: on a busy machine it only takes longer.
        test: {
          ...TOUCHES_NOTHING,
          name: "simulated",
          include: [SIMULATED],
          testTimeout: 900_000,
        },
      },
      // They build and start programs, beside the compilers of another lane: only a hang takes longer.
      { extends: true, test: { name: "live", include: [LIVE], testTimeout: 300_000 } },
      { extends: true, test: { name: "night", include: [NIGHT], exclude: ["test/{act,e2e}/**"] } },
    ],
  },
});
