// Services by themselves: how much one bears, how two compare, what they answer, and a first
// configuration of them.
import { UserError } from "../../core/base/errors.ts";
import {
  command,
  config,
  MEASURING,
  out,
  positional,
  projectOf,
  resume,
  STARTING,
  services,
} from "../command.ts";
import { CAPACITY_EXIT, EXIT } from "../exit-codes.ts";
import {
  aSwitch,
  count,
  duration,
  list,
  listOf,
  number,
  oneOf,
  share,
  span,
  text,
} from "../flags.ts";
import { print, printDocument, show, showKept, writeOwn } from "../output.ts";

const rendered = (file: string) => text("from", file, "render it again instead of measuring");
/** What only a measurement can obey, as others of each command: a file is only rendered again. */
const MEASURED = ["service", "config", "seed", "timeBudgetMs", "lockTimeoutMs"];
const SEARCHED = ["scenario", "objectiveMs", "errorBudget", "launches", "sliceMs", "precision"];

const orAs = (usual: string): string => `(default: as configured, or ${usual})`;

const RUNNERS = ["hosted", "self-hosted"] as const;
const BISECTED = ["p99", "rss", "cpuPer1k"] as const;

const AN_HOUR_MS = 3_600_000;

export const capacity = command({
  summary: "the highest rate that a service sustains within a latency objective, and what it costs",
  positionals: "<service>",
  flags: {
    scenario: text("scenario", "<name>", "which scenario of the service (default: its only one)"),
    objectiveMs: span("p99", "objective: p99 from the schedule (default: 20ms)", 0.1, 60_000),
    errorBudget: share("errors", "of requests that may fail (default: as configured)", 0, 1),
    launches: count("launches", "fresh starts (default: 8; 6 give a 95 % interval)", 1, 1000),
    sliceMs: span("slice", "of each try (default: 2s, or 100 objectives if longer)", 500, 60_000),
    precision: share("precision", "width of a launch's bracket (default: 3%)", 0.005, 0.5),
    resume,
    from: rendered("<capacity.samples.v1.json>"),
    requestsPerDay: listOf(
      number(
        "requests-per-day",
        "rows of the cost table (default: as configured, or 1000000,1000000000)",
        1,
        1e15,
      ),
    ),
    peakFactor: number("peak-factor", `busiest rate over the day's mean ${orAs("3")}`, 1, 1000),
    utilisation: share("utilisation", `of a core that may be used ${orAs("60%")}`, 0.01, 1),
    coresPerHost: number("cores-per-host", orAs("8"), 0.01, 10_000),
    hostPrice: number("host-price", `of one host for a month ${orAs("35")}`, 0, 1e9),
    ...MEASURING,
  },
  idle: { with: { from: [...MEASURED, ...SEARCHED, "resume"] } },
  examples: {
    "tailgate capacity api --scenario echo --p99 20ms": "requests a second, with an interval",
    "tailgate capacity --from .tailgate/capacity.samples.v1.json --host-price 50":
      "the same measurement, other costs",
  },
  async run(given, environment) {
    const { flags } = given;
    const { capacityFromFile, measureCapacity } = await import("../../app/capacity/capacity.ts");
    const { requestsPerDay, peakFactor, utilisation, coresPerHost, hostPrice, from, out } = flags;
    const costs = { requestsPerDay, peakFactor, utilisation, coresPerHost, hostPrice };
    const cost = Object.fromEntries(Object.entries(costs).filter(([, value]) => value !== null));
    const measured = async () => {
      const service = positional(given, "a service");
      const project = await projectOf(flags, environment);
      return await measureCapacity({ ...flags, service, cost }, project, environment);
    };
    const kept =
      from === null
        ? await measured()
        : await capacityFromFile({ samples: from, cost, out }, environment);
    await showKept(flags, kept, { details: true });
    return CAPACITY_EXIT[kept.result.state];
  },
});

export const compare = command({
  summary: "two services of the configuration under the same load: ratios with their intervals",
  positionals: "<service> <service>",
  maxPositionals: 2,
  flags: {
    rounds: count("rounds", "fresh starts of both (default: 12; below 6, no interval)", 1, 1000),
    scenarios: list(
      "scenario",
      "<name>",
      "only this scenario; may be given several times (default: all that both have)",
    ),
    from: rendered("<comparison.samples.v1.json>"),
    ...MEASURING,
  },
  idle: { with: { from: [...MEASURED, "rounds", "scenarios"] } },
  examples: {
    "tailgate compare api api-next --scenario echo": "every metric of the first against the second",
    "tailgate compare --from .tailgate/comparison.samples.v1.json": "the same measurement again",
  },
  async run({ flags, positionals: [first, second] }, environment) {
    const { comparisonFromFile, measureComparison } = await import(
      "../../app/comparison/compare.ts"
    );
    const { from, out, scenarios, rounds } = flags;
    const measured = async () => {
      if (first === undefined || second === undefined) {
        throw new UserError("tailgate compare: name two services", {
          next: "Such as: tailgate compare api api-next.",
        });
      }
      const options = { names: [first, second] as const, scenarios, rounds };
      return await measureComparison(options, await projectOf(flags, environment), environment);
    };
    const kept =
      from === null
        ? await measured()
        : await comparisonFromFile({ samples: from, out }, environment);
    await showKept(flags, kept);
    // It gates nothing.
    return kept.result.state === "invalid" ? EXIT.invalid : 0;
  },
});

export const bisect = command({
  summary: "the commit that made a service worse, of a line of commits, with a proof",
  positionals: "<good>..<bad>",
  flags: {
    scenario: text("scenario", "<name>", "only this scenario (default: all of the service)"),
    metric: oneOf("metric", "what became worse (default: the clearest)", BISECTED),
    forMs: duration("for", "begin no further step after this long (default: 1h)"),
    services,
    resume: aSwitch("resume", "go on with the bisection in --out"),
    out,
    ...STARTING,
  },
  examples: {
    "tailgate bisect v1.2..main": "every commit of main since v1.2 is a suspect",
    "tailgate bisect HEAD~20.. --scenario echo --metric p99": "of what one scenario's p99 shows",
  },
  async run(given, environment) {
    const { bisectRange } = await import("../../app/bisect.ts");
    const { scenario, metric, forMs, json, ...place } = given.flags;
    const range = positional(given, "a good and a bad commit");
    const options = { range, scenario, metric, forMs: forMs ?? AN_HOUR_MS };
    const project = await projectOf(place, environment);
    const { lack, value, text, files } = await bisectRange(options, project, environment);
    show({ json }, value, () => text, files);
    return lack === null ? 0 : EXIT[lack];
  },
});

export const withDependencies = command({
  summary: "run a command beside what a service depends on (PostgreSQL, Redis, …)",
  positionals: "<service> -- <command…>",
  maxPositionals: 1000,
  flags: { config },
  examples: {
    "tailgate with api -- cargo test":
      "tests with the service's databases, seeded, in the variables that the service gets",
    "tailgate with api --config tailgate.full.yml -- env": "what the service would be told",
  },
  async run({ flags, positionals: [service, ...command] }, environment) {
    const { runWithDependencies } = await import("../../app/with-dependencies.ts");
    if (service === undefined || command.length === 0) {
      throw new UserError("tailgate with: expected a service and a command", {
        next: "For example: tailgate with api -- cargo test",
      });
    }
    return await runWithDependencies({ ...flags, service, command }, environment);
  },
});

export const tryOut = command({
  summary: "start each service once: its port, what its scenarios are answered, the rate it holds",
  flags: {
    build: aSwitch(
      "build",
      "build the checkout, start what the services need and measure rates, as a gate would; without it services are started from the files that lie there",
    ),
    paths: list("ask", "<path>", "also ask for this path; may be given several times"),
    services,
    ...STARTING,
  },
  idle: { without: { build: ["lockTimeoutMs"] } },
  examples: {
    "tailgate try": "what runs from the files that lie there",
    "tailgate try --build --service api": "as a gate would build and start it",
    "tailgate try --ask /healthz --ask /openapi.json --json": "for other programs",
  },
  async run({ flags }, environment) {
    const { tryServices } = await import("../../app/try/try-services.ts");
    const { renderTry } = await environment.satellites.sheets();
    const { isAsConfigured } = await import("../../core/model/one-answer.ts");
    const { build, paths, json: _, ...place } = flags;
    const wrong = paths?.find((path) => !path.startsWith("/"));
    if (wrong !== undefined)
      throw new UserError(`--ask ${wrong}: expected a path such as /healthz`);
    const options = { build, paths: paths ?? [], ports: [], enough: null };
    const result = await tryServices(await projectOf(place, environment), options, environment);
    show(flags, result, (terminal) => renderTry(result, terminal));
    return result.services.every(isAsConfigured) ? 0 : EXIT.invalid;
  },
});

export const init = command({
  summary: "write a first tailgate.yml after looking at the repository",
  flags: {
    print: aSwitch("print", "print it instead of writing it"),
    run: aSwitch(
      "run",
      "build and start each service to see its port, what it answers and what a request costs; without it only a server that needs no build and no packages is started",
    ),
    workflow: oneOf("workflow", "also write a workflow, for GitHub's or your runner", RUNNERS),
  },
  examples: {
    "tailgate init": "then: tailgate gate",
    "tailgate init --run --print": "see what building and running the services would propose",
  },
  async run({ flags }, environment) {
    const { initConfiguration } = await import("../../app/init.ts");
    const { files, says, foundNothing } = await initConfiguration(flags, environment);
    if (flags.print) {
      printDocument(files.map(({ text }) => text).join("---\n"));
      return 0;
    }
    for (const { path, text } of files)
      writeOwn(path, text, { flag: "wx", instead: "add --print" });
    print(says);
    return foundNothing ? EXIT.usage : 0;
  },
});
