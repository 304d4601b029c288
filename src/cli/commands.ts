// One table of commands and flags: the parser, `--help` and the documentation all come from it.
import { DURATION, PERCENTAGE } from "../core/config/units.ts";
import { COMPARE_MODES } from "../core/model/config.ts";
import { EXPORT_FORMATS } from "../core/model/export.ts";
import {
  aSwitch,
  duration,
  type Flags,
  list,
  listOf,
  number,
  oneOf,
  quantity,
  type Typed,
  text,
} from "./flags.ts";

export interface Command {
  summary: string;
  /** As shown in help; absent: none is taken. */
  positionals?: string;
  maxPositionals?: number;
  flags: Flags;
  /** What only a measurement can obey: with `--from` it would have no effect. */
  measuring?: readonly string[];
  /** What each line does. */
  examples: Readonly<Record<string, string>>;
}

const command = <F extends Flags>(
  spec: Command & { flags: F; measuring?: readonly (keyof F)[] },
): Command & { flags: F } => spec;

const json = aSwitch("json", "print the result as one JSON document on standard output");
const config = text(
  "config",
  "<file>",
  "configuration file (default: tailgate.yml at the repository's root)",
);
const out = text(
  "out",
  "<folder>",
  "where samples and reports go (default: .tailgate at the repository's root)",
);
const output = text("output", "<file>", "write to a file (default: standard output)");
const services = list("service", "<name>", "only this service; may be given several times");
const seed = number(
  "seed",
  "fixes every random choice of the run (default: a fresh one, shown in the report)",
  { least: 0, most: 0xffffffff, whole: true },
);
const resume = aSwitch("resume", "go on with the samples file in --out");
const measureUnchanged = aSwitch(
  "measure-unchanged",
  "measure services that are the same in both arms too (for A/A)",
);
const lockTimeoutMs = duration(
  "wait",
  "how long to wait for another gate on this machine (default: 30m)",
);
const timeBudgetMs = duration(
  "time-budget",
  "stop measuring after this long, such as 10m (default: as configured)",
);
const answerAll = aSwitch(
  "answer-all",
  "go on after the first regression until every question is answered",
);
const historyFolder = text(
  "history",
  "<folder>",
  "records of the default branch's runs, from which drift is learned (default: none)",
);

/** Named as in ProjectOptions. */
const MEASURING = {
  config,
  reference: text(
    "reference",
    "<revision>",
    "commit to compare with (default: merge base with the default branch)",
  ),
  compare: oneOf("compare", "base, replay, stored or auto (default: as configured)", {
    of: COMPARE_MODES,
    placeholder: "<mode>",
  }),
  services,
  seed,
  timeBudgetMs,
  answerAll,
  historyFolder,
  out,
  resume,
  measureUnchanged,
  lockTimeoutMs,
  json,
};

export const COMMANDS = {
  gate: command({
    summary: "build, measure, judge and report: the whole gate",
    flags: MEASURING,
    examples: {
      "tailgate gate": "this checkout against its merge base with the default branch",
      "tailgate gate --reference v1.4.0 --service api": "one service against a tag",
      "tailgate gate --reference HEAD --measure-unchanged":
        "the last commit against itself: what this machine calls a change",
      "tailgate gate --resume": "go on with a run that has no answer yet",
    },
  }),
  measure: command({
    summary: "build and measure; write samples.v1.json and judge nothing",
    flags: MEASURING,
    examples: {
      "tailgate measure --out run1": "samples for later",
    },
  }),
  judge: command({
    summary: "the verdict on a samples file, measured here or anywhere",
    positionals: "<samples.v1.json>",
    maxPositionals: 1,
    flags: {
      config: {
        ...config,
        help: "judge with this configuration's policy instead of the file's own",
      },
      baselines: text(
        "baselines",
        "<folder>",
        "stored baselines to compare with (default: as configured, in this repository)",
      ),
      historyFolder,
      explain: aSwitch(
        "explain",
        "print the limits and the evidence of every hypothesis, in its last rounds",
      ),
      out,
      json,
    },
    examples: {
      "tailgate judge .tailgate/samples.v1.json --explain": "how the verdict came about",
    },
  }),
  report: command({
    summary: "show a report file as text, Markdown or HTML",
    positionals: "<report.v1.json>",
    maxPositionals: 1,
    flags: {
      format: oneOf("format", "terminal, markdown, html or json (default: terminal)", {
        of: ["terminal", "markdown", "html", "json"],
        placeholder: "<format>",
      }),
      output,
    },
    examples: {
      "tailgate report .tailgate/report.v1.json --format markdown":
        "what a pull request would show",
    },
  }),
  export: command({
    summary: "a report in a format of other programs; what is not decided is no number there",
    positionals: "<report.v1.json>",
    maxPositionals: 1,
    flags: {
      format: oneOf("format", EXPORT_FORMATS.join(", "), {
        of: EXPORT_FORMATS,
        placeholder: "<format>",
      }),
      output,
    },
    examples: {
      "tailgate export .tailgate/report.v1.json --format junit --output junit.xml":
        "a test case for each gated metric",
      "tailgate export .tailgate/report.v1.json --format benchfmt --output launches.txt":
        "every launch, for: benchstat -col arm launches.txt",
    },
  }),
  history: command({
    summary: "what became of each metric over the runs of the default branch, and when it changed",
    flags: {
      historyFolder: text(
        "history",
        "<folder>",
        "records of the runs: git worktree add history origin/tailgate-history (default: history)",
      ),
      annotations: text(
        "annotations",
        "<file>",
        "YAML list of days or commits with a text, to mark in the charts (default: tailgate.annotations.yml where there is one)",
      ),
      html: aSwitch("html", "a page with charts instead"),
      output,
    },
    examples: {
      "tailgate history": "each metric against its anchor, and the latest change of its level",
      "tailgate history --html --output history.html": "one page, to open or to publish",
    },
  }),
  baseline: command({
    summary: "record, update or show the stored baselines of this class of runner",
    positionals: "record | update | show",
    maxPositionals: 1,
    flags: {
      config,
      services,
      seed,
      from: text(
        "from",
        "<samples.v1.json>",
        "take the values from this file instead of measuring",
      ),
      historyFolder,
      timeBudgetMs,
      out,
      lockTimeoutMs,
      json,
    },
    examples: {
      "tailgate baseline record": "measure the last commit and write its baselines",
      "tailgate baseline update --from .tailgate/samples.v1.json":
        "accept the values of a run that passed",
    },
  }),
  with: command({
    summary: "run a command beside what a service depends on (PostgreSQL, Redis, …)",
    positionals: "<service> -- <command…>",
    maxPositionals: 1000,
    flags: { config },
    examples: {
      "tailgate with api -- cargo test":
        "tests with the service's databases, seeded, in the variables that the service gets",
      "tailgate with api --config tailgate.full.yml -- env": "what the service would be told",
    },
  }),
  capacity: command({
    summary:
      "the highest rate that a service sustains within a latency objective, and what it costs",
    positionals: "<service>",
    maxPositionals: 1,
    flags: {
      scenario: text("scenario", "<name>", "which scenario of the service (default: its only one)"),
      objectiveMs: quantity("p99", "objective: p99 from the schedule (default: 20ms)", {
        kind: DURATION,
        least: 0.1,
        most: 60_000,
      }),
      errorBudget: quantity("errors", "share of requests that may fail (default: as configured)", {
        kind: PERCENTAGE,
        least: 0,
        most: 1,
      }),
      launches: number(
        "launches",
        "fresh starts of the service (default: 8; 6 give a 95 % interval)",
        { least: 1, most: 1000, whole: true },
      ),
      sliceMs: quantity("slice", "length of a slice (default: 2s, or 100 objectives if longer)", {
        kind: DURATION,
        least: 500,
        most: 60_000,
      }),
      precision: quantity("precision", "how narrow a launch's bracket is made (default: 3%)", {
        kind: PERCENTAGE,
        least: 0.005,
        most: 0.5,
      }),
      timeBudgetMs,
      resume,
      from: text(
        "from",
        "<capacity.samples.v1.json>",
        "render this file again instead of measuring",
      ),
      requestsPerDay: listOf(
        number(
          "requests-per-day",
          "rows of the cost table (default: as configured, or 1000000,1000000000)",
          { least: 1, most: 1e15 },
        ),
      ),
      peakFactor: number(
        "peak-factor",
        "busiest rate over the day's mean (default: as configured, or 3)",
        { least: 1, most: 1000 },
      ),
      utilisation: quantity(
        "utilisation",
        "share of a core that may be used (default: as configured, or 60%)",
        { kind: PERCENTAGE, least: 0.01, most: 1 },
      ),
      coresPerHost: number("cores-per-host", "(default: as configured, or 8)", {
        least: 0.01,
        most: 10_000,
      }),
      hostPrice: number("host-price", "of one host for a month (default: as configured, or 35)", {
        least: 0,
        most: 1e9,
      }),
      config,
      seed,
      out,
      lockTimeoutMs,
      json,
    },
    measuring: [
      "scenario",
      "objectiveMs",
      "errorBudget",
      "launches",
      "sliceMs",
      "precision",
      "timeBudgetMs",
      "resume",
    ],
    examples: {
      "tailgate capacity api --scenario echo --p99 20ms": "requests a second, with an interval",
      "tailgate capacity --from .tailgate/capacity.samples.v1.json --host-price 50":
        "the same measurement, other costs",
    },
  }),
  compare: command({
    summary: "two services of the configuration under the same load: ratios with their intervals",
    positionals: "<service> <service>",
    maxPositionals: 2,
    flags: {
      rounds: number(
        "rounds",
        "fresh starts of both services (default: 12; fewer than 8 may give no interval)",
        { least: 1, most: 1000, whole: true },
      ),
      scenarios: list(
        "scenario",
        "<name>",
        "only this scenario; may be given several times (default: all that both have)",
      ),
      timeBudgetMs,
      from: text(
        "from",
        "<comparison.samples.v1.json>",
        "render this file again instead of measuring",
      ),
      config,
      seed,
      out,
      lockTimeoutMs,
      json,
    },
    measuring: ["rounds", "scenarios", "config", "seed", "timeBudgetMs", "lockTimeoutMs"],
    examples: {
      "tailgate compare api api-next --scenario echo":
        "every metric of the first against the second",
      "tailgate compare --from .tailgate/comparison.samples.v1.json": "the same measurement again",
    },
  }),
  calibrate: command({
    summary:
      "what this machine can tell apart: its noise, learned from rounds of identical programs",
    flags: {
      rounds: number("rounds", "rounds of identical arms for every service (default: 16)", {
        least: 8,
        most: 500,
        whole: true,
      }),
      from: text(
        "from",
        "<samples.v1.json>",
        "calibrate from recorded rounds of one commit against itself",
      ),
      config,
      services,
      seed,
      timeBudgetMs,
      out,
      lockTimeoutMs,
      json,
    },
    measuring: ["rounds", "timeBudgetMs"],
    examples: {
      "tailgate calibrate":
        "measure, and keep the profile beside the baselines, where gate and plan find it",
      "tailgate calibrate --from .tailgate/samples.v1.json":
        "from rounds that were recorded with --reference HEAD --measure-unchanged",
    },
  }),
  plan: command({
    summary: "what a run would do and how long it would take; starts nothing",
    flags: { config, services, seed, json },
    examples: {
      "tailgate plan": "scenarios, questions, minutes",
    },
  }),
  try: command({
    summary:
      "start each service once: its port, what its scenarios are answered, the rate it holds",
    flags: {
      build: aSwitch(
        "build",
        "build the checkout, start what the services need and measure rates, as a gate would; without it services are started from the files that lie there",
      ),
      paths: list("ask", "<path>", "also ask for this path; may be given several times"),
      config,
      services,
      lockTimeoutMs,
      json,
    },
    examples: {
      "tailgate try": "what runs from the files that lie there",
      "tailgate try --build --service api": "as a gate would build and start it",
      "tailgate try --ask /healthz --ask /openapi.json --json": "for other programs",
    },
  }),
  doctor: command({
    summary: "what is known of this machine, and what would make it quieter",
    flags: {
      samples: text(
        "samples",
        "<samples.v1.json>",
        "what disturbed the slices of this run, and what would help most",
      ),
      fix: aSwitch("fix", "print the commands as a script; runs none of them"),
      json,
    },
    examples: {
      "tailgate doctor": "each finding with the command that mends it",
      "tailgate doctor --fix > quieter.sh": "to read, and to run as you see fit",
      "tailgate doctor --samples .tailgate/samples.v1.json": "why that run was noisy",
    },
  }),
  setup: command({
    summary: "find the load generator, or install it once",
    flags: {},
    examples: {
      "tailgate setup": "so that the first gate need not wait",
    },
  }),
  init: command({
    summary: "write a first tailgate.yml after looking at the repository",
    flags: {
      print: aSwitch("print", "print it instead of writing it"),
      run: aSwitch(
        "run",
        "build and start each service to see its port, what it answers and what a request costs; without it only a server that needs no build and no packages is started",
      ),
    },
    examples: {
      "tailgate init": "then: tailgate gate",
      "tailgate init --run --print": "see what building and running the services would propose",
    },
  }),
};

export type CommandName = keyof typeof COMMANDS;

/** What was typed of one command. */
export type Given = {
  [N in CommandName]: {
    name: N;
    flags: Typed<(typeof COMMANDS)[N]["flags"]>;
    positionals: readonly string[];
  };
}[CommandName];

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];
