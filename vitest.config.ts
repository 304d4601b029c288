import { defineConfig } from "vitest/config";

/** Tests that start processes, real git among them: tens of seconds. All others touch nothing and take a few. */
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
  "test/fake-github/*.test.ts",
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: ["test/e2e/**", ...LIVE],
        },
      },
      { extends: true, test: { name: "live", include: LIVE } },
    ],
  },
});
