// The steps of `./scripts/test`, as data.
import { join } from "node:path";
import { asOne, type Count, cargoCount, goCount, goText, ownCount, vitestCount } from "./count.ts";

/**
 * `check` is part of every run, `default` of `./scripts/test`, `full` of `./scripts/test --full`
 * alone.
 */
export const TIERS = ["check", "default", "full"] as const;
export type Tier = (typeof TIERS)[number];

export interface Step {
  name: string;
  argv: readonly string[];
  /** From the root of the repository; default: the root. */
  cwd?: string;
  /**
   * `vitest` and `tools` run side by side; what is `alone` runs after both, with nothing beside it.
   */
  lane: "vitest" | "tools" | "alone";
  tier: Tier;
  count: Count;
  env?: Readonly<Record<string, string>>;
  /** A program without which the step is skipped, by name. */
  needs?: string;
  /** The step whose end is waited for. */
  after?: string;
  /** Turns the output of a machine into that of a person. */
  show?: (output: string) => string;
  /** Where it prints that a program is, that folder joins the PATH of the steps after it. */
  addsToPath?: RegExp;
}

const GOLANGCI = "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0";
const LOAD_GENERATOR = "load generator";

export function makeSteps(options: { scratch: string; servers: boolean }): Step[] {
  const vitest = (name: string, args: readonly string[]): Pick<Step, "argv" | "count" | "env"> => {
    const file = join(options.scratch, `${name.replaceAll(" ", "-")}.json`);
    return {
      argv: [
        ...["vitest", "run", "--update=none", ...args],
        ...["--reporter=default", "--reporter=./scripts/suite/reporter.ts"],
      ],
      env: { TAILGATE_TEST_RESULT: file },
      count: vitestCount(file),
    };
  };
  const project = (name: string, id: string, tier: Tier): Step => ({
    ...vitest(name, ["--project", id]),
    name,
    lane: "vitest",
    tier,
  });
  const configured = (name: string, folder: string, args: readonly string[] = []): Step => ({
    ...vitest(name, ["--config", `${folder}/vitest.config.ts`, ...args]),
    name,
    lane: "alone",
    tier: "default",
  });
  const service = (name: string, folder: string, argv: readonly string[]): Step => ({
    name: `${folder}: ${name}`,
    argv,
    cwd: `services/${folder}`,
    lane: "tools",
    tier: "default",
    count: asOne,
  });
  /**
   * With PostgreSQL, Redis and the upstream of the services; `root` as seen from the step's folder.
   */
  const withServers = (argv: readonly string[], root = "../.."): readonly string[] =>
    options.servers
      ? [
          ...["node", `${root}/src/entry/cli.ts`, "with", "axum-api"],
          ...["--config", `${root}/services/tailgate.full.yml`, "--", ...argv],
        ]
      : argv;
  const goSteps = (
    folder: string,
    wrap: (argv: readonly string[]) => readonly string[],
  ): Step[] => [
    // gofmt itself ends with 0 whatever it finds.
    service("format", folder, ["sh", "-c", 'found=$(gofmt -l .); echo "$found"; [ -z "$found" ]']),
    service("vet", folder, ["go", "vet", "./..."]),
    service("lint", folder, ["go", "run", GOLANGCI, "run"]),
    {
      ...service("test", folder, wrap(["go", "test", "-race", "-count=1", "-json", "./..."])),
      count: goCount,
      show: goText,
    },
  ];

  const contract = configured("contract, over sockets", "test/e2e", ["contract"]);
  const outages = configured("outages of what services need", "test/e2e", ["outage"]);

  return [
    {
      name: "format and lint",
      argv: ["biome", "check", "--error-on-warnings"],
      lane: "tools",
      tier: "check",
      count: asOne,
    },
    { name: "types", argv: ["tsc", "--noEmit"], lane: "tools", tier: "check", count: asOne },
    project("unit tests", "unit", "check"),
    project("simulations", "simulated", "default"),
    { ...project("tests with processes", "live", "default"), after: LOAD_GENERATOR },
    project("tests of the night", "night", "full"),

    {
      name: LOAD_GENERATOR,
      argv: ["node", "src/entry/cli.ts", "setup"],
      lane: "tools",
      tier: "default",
      count: asOne,
      addsToPath: /^oha \S+ at (.+)$/m,
    },
    service("format", "axum-api", ["cargo", "fmt", "--check"]),
    service("lint", "axum-api", [
      ...["cargo", "clippy", "--locked", "--all-targets", "--", "-D", "warnings"],
    ]),
    {
      ...service("test", "axum-api", withServers(["cargo", "test", "--locked"])),
      count: cargoCount,
    },
    ...goSteps("gin-api", withServers),
    ...goSteps("upstream", (argv) => argv),

    // Asks for answers, never how long they took.
    { ...contract, lane: "tools", argv: withServers(contract.argv, ".") },
    { ...outages, tier: "full", argv: withServers(outages.argv, ".") },
    configured("a gate under real load", "test/e2e", ["--exclude=**/{contract,outage}.*.test.ts"]),
    { ...configured("workflows under act", "test/act"), needs: "act" },

    {
      name: "fuzz",
      argv: ["node", "scripts/fuzz.ts", "30"],
      lane: "alone",
      tier: "full",
      count: ownCount,
    },
    {
      name: "mutation of the decision rule",
      argv: ["stryker", "run", "test/mutation/stryker.json"],
      lane: "alone",
      tier: "full",
      count: asOne,
    },
  ];
}
