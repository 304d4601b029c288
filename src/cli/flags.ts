// One table of commands and flags: the parser, `--help` and the documentation all come from it.
import { CALIBRATE_FLAGS } from "./calibrate-flags.ts";
import { CAPACITY_FLAGS } from "./capacity-flags.ts";
import { COMPARE_FLAGS } from "./compare-flags.ts";
import type { Flag } from "./flag.ts";

export interface Example {
  line: string;
  means: string;
}

export interface CommandSpec {
  name: string;
  summary: string;
  /** Positional arguments as shown in help; empty: none. */
  positionals: string;
  maxPositionals: number;
  flags: readonly Flag[];
  examples: readonly Example[];
}

const JSON_FLAG: Flag = {
  name: "json",
  kind: "switch",
  help: "print the result as one JSON document on standard output",
};
const CONFIG: Flag = {
  name: "config",
  kind: "value",
  value: "<file>",
  help: "configuration file (default: tailgate.yml at the repository's root)",
};
const OUT: Flag = {
  name: "out",
  kind: "value",
  value: "<folder>",
  help: "where samples and reports go (default: .tailgate at the repository's root)",
};
const SERVICE: Flag = {
  name: "service",
  kind: "list",
  value: "<name>",
  help: "only this service; may be given several times",
};
const SEED: Flag = {
  name: "seed",
  kind: "value",
  value: "<number>",
  help: "fixes every random choice of the run (default: a fresh one, shown in the report)",
};
const WAIT: Flag = {
  name: "wait",
  kind: "value",
  value: "<duration>",
  help: "how long to wait for another gate on this machine (default: 30m)",
};
const MEASURING: readonly Flag[] = [
  CONFIG,
  {
    name: "reference",
    kind: "value",
    value: "<revision>",
    help: "commit to compare with (default: merge base with the default branch)",
  },
  {
    name: "compare",
    kind: "value",
    value: "<mode>",
    help: "base, replay, stored or auto (default: as configured)",
  },
  SERVICE,
  SEED,
  {
    name: "time-budget",
    kind: "value",
    value: "<duration>",
    help: "stop measuring after this long, such as 10m (default: as configured)",
  },
  OUT,
  { name: "resume", kind: "switch", help: "go on with the samples file in --out" },
  WAIT,
  JSON_FLAG,
];

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "gate",
    summary: "build, measure, judge and report: the whole gate",
    positionals: "",
    maxPositionals: 0,
    flags: MEASURING,
    examples: [
      {
        line: "tailgate gate",
        means: "this checkout against its merge base with the default branch",
      },
      {
        line: "tailgate gate --reference v1.4.0 --service api",
        means: "one service against a tag",
      },
      { line: "tailgate gate --resume", means: "go on with a run that was interrupted" },
    ],
  },
  {
    name: "measure",
    summary: "build and measure; write samples.v1.json and judge nothing",
    positionals: "",
    maxPositionals: 0,
    flags: MEASURING,
    examples: [{ line: "tailgate measure --out run1", means: "samples for later" }],
  },
  {
    name: "judge",
    summary: "the verdict on a samples file, measured here or anywhere",
    positionals: "<samples.v1.json>",
    maxPositionals: 1,
    flags: [
      { ...CONFIG, help: "judge with this configuration's policy instead of the file's own" },
      {
        name: "baselines",
        kind: "value",
        value: "<folder>",
        help: "stored baselines to compare with (default: as configured, in this repository)",
      },
      { name: "explain", kind: "switch", help: "print every look of every hypothesis" },
      OUT,
      JSON_FLAG,
    ],
    examples: [
      {
        line: "tailgate judge .tailgate/samples.v1.json --explain",
        means: "how the verdict came about",
      },
    ],
  },
  {
    name: "report",
    summary: "show a report file as text, Markdown or HTML",
    positionals: "<report.v1.json>",
    maxPositionals: 1,
    flags: [
      {
        name: "format",
        kind: "value",
        value: "<format>",
        help: "terminal, markdown, html or json (default: terminal)",
      },
      {
        name: "output",
        kind: "value",
        value: "<file>",
        help: "write to a file (default: standard output)",
      },
    ],
    examples: [
      {
        line: "tailgate report .tailgate/report.v1.json --format markdown",
        means: "what a pull request would show",
      },
    ],
  },
  {
    name: "baseline",
    summary: "record, update or show the stored baselines of this class of runner",
    positionals: "record | update | show",
    maxPositionals: 1,
    flags: [
      CONFIG,
      SERVICE,
      SEED,
      {
        name: "from",
        kind: "value",
        value: "<samples.v1.json>",
        help: "take the values from this file instead of measuring",
      },
      {
        name: "time-budget",
        kind: "value",
        value: "<duration>",
        help: "stop measuring after this long",
      },
      OUT,
      {
        name: "wait",
        kind: "value",
        value: "<duration>",
        help: "how long to wait for another gate",
      },
      JSON_FLAG,
    ],
    examples: [
      {
        line: "tailgate baseline record",
        means: "measure the last commit and write its baselines",
      },
      {
        line: "tailgate baseline update --from .tailgate/samples.v1.json",
        means: "accept the values of a run that passed",
      },
    ],
  },
  {
    name: "with",
    summary: "run a command beside what a service depends on (PostgreSQL, Redis, …)",
    positionals: "<service> -- <command…>",
    maxPositionals: 1000,
    flags: [CONFIG],
    examples: [
      {
        line: "tailgate with api -- cargo test",
        means: "tests with the service's databases, seeded, in the variables that the service gets",
      },
      {
        line: "tailgate with api --config tailgate.full.yml -- env",
        means: "what the service would be told",
      },
    ],
  },
  {
    name: "capacity",
    summary:
      "the highest rate that a service sustains within a latency objective, and what it costs",
    positionals: "<service>",
    maxPositionals: 1,
    flags: [...CAPACITY_FLAGS, CONFIG, SEED, OUT, WAIT, JSON_FLAG],
    examples: [
      {
        line: "tailgate capacity api --scenario echo --p99 20ms",
        means: "requests a second, with an interval",
      },
      {
        line: "tailgate capacity --from .tailgate/capacity.samples.v1.json --host-price 50",
        means: "the same measurement, other costs",
      },
    ],
  },
  {
    name: "compare",
    summary: "two services of the configuration under the same load: ratios with their intervals",
    positionals: "<service> <service>",
    maxPositionals: 2,
    flags: [...COMPARE_FLAGS, CONFIG, SEED, OUT, WAIT, JSON_FLAG],
    examples: [
      {
        line: "tailgate compare api api-next --scenario echo",
        means: "every metric of the first against the second",
      },
      {
        line: "tailgate compare --from .tailgate/comparison.samples.v1.json",
        means: "the same measurement again",
      },
    ],
  },
  {
    name: "calibrate",
    summary:
      "what this machine can tell apart: its noise, learned from rounds of identical programs",
    positionals: "",
    maxPositionals: 0,
    flags: [
      ...CALIBRATE_FLAGS,
      CONFIG,
      SERVICE,
      SEED,
      {
        name: "time-budget",
        kind: "value",
        value: "<duration>",
        help: "stop measuring after this long, such as 10m (default: as configured)",
      },
      OUT,
      WAIT,
      JSON_FLAG,
    ],
    examples: [
      {
        line: "tailgate calibrate",
        means: "measure, and keep the profile beside the baselines, where gate and plan find it",
      },
      {
        line: "tailgate calibrate --from .tailgate/samples.v1.json",
        means: "from rounds that were recorded with --reference HEAD",
      },
    ],
  },
  {
    name: "plan",
    summary: "what a run would do and how long it would take; starts nothing",
    positionals: "",
    maxPositionals: 0,
    flags: [CONFIG, SERVICE, SEED, JSON_FLAG],
    examples: [{ line: "tailgate plan", means: "scenarios, hypotheses, looks, minutes" }],
  },
  {
    name: "doctor",
    summary: "what is known of this machine, and what would make it quieter",
    positionals: "",
    maxPositionals: 0,
    flags: [
      {
        name: "samples",
        kind: "value",
        value: "<samples.v1.json>",
        help: "what disturbed the slices of this run, and what would help most",
      },
      { name: "fix", kind: "switch", help: "print the commands as a script; runs none of them" },
      JSON_FLAG,
    ],
    examples: [
      { line: "tailgate doctor", means: "each finding with the command that mends it" },
      { line: "tailgate doctor --fix > quieter.sh", means: "to read, and to run as you see fit" },
      {
        line: "tailgate doctor --samples .tailgate/samples.v1.json",
        means: "why that run was noisy",
      },
    ],
  },
  {
    name: "setup",
    summary: "find the load generator, or install it once",
    positionals: "",
    maxPositionals: 0,
    flags: [],
    examples: [{ line: "tailgate setup", means: "so that the first gate need not wait" }],
  },
  {
    name: "init",
    summary: "write a first tailgate.yml after looking at the repository",
    positionals: "",
    maxPositionals: 0,
    flags: [{ name: "print", kind: "switch", help: "print it instead of writing it" }],
    examples: [{ line: "tailgate init", means: "then: tailgate gate" }],
  },
];
