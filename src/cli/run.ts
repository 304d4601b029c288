// Each command: what was typed -> use case -> text and exit code. Nothing is computed here.
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { recordBaselines, showBaselines } from "../app/baseline/record.ts";
import { calibrate, calibrateFrom, DEFAULT_ROUNDS } from "../app/calibration/calibrate.ts";
import { capacityFromFile, measureCapacity } from "../app/capacity/capacity.ts";
import { comparisonFromFile, measureComparison } from "../app/comparison/compare.ts";
import { examineHost, WATCH_MS } from "../app/doctor.ts";
import { exportReport } from "../app/documents/exports.ts";
import { FILES } from "../app/documents/reports.ts";
import { readReport } from "../app/documents/samples.ts";
import { gate, measureOnly } from "../app/gate/gate.ts";
import { judgeFile } from "../app/gate/judge.ts";
import { describePlan } from "../app/gate/plan.ts";
import { readFolder } from "../app/history/folder-store.ts";
import { historyPage, readTrend } from "../app/history/trend.ts";
import { initConfiguration } from "../app/init.ts";
import { openProject } from "../app/project/project.ts";
import type { Environment } from "../app/settings.ts";
import { setUp } from "../app/setup.ts";
import { tryServices } from "../app/try/try-services.ts";
import { runWithDependencies } from "../app/with-dependencies.ts";
import { UserError } from "../core/base/errors.ts";
import { ANNOTATIONS_FILE } from "../core/history/layout.ts";
import { EXPORT_FORMATS } from "../core/model/export.ts";
import type { HistoryRecord } from "../core/model/history.ts";
import type { Report } from "../core/model/report.ts";
import { renderCalibrationTerminal, unkept } from "../core/report/calibration/terminal.ts";
import { capacityDocument } from "../core/report/capacity/document.ts";
import { comparisonDocument } from "../core/report/comparison/document.ts";
import { renderDoctor, renderFixScript } from "../core/report/doctor.ts";
import { describeExplanation } from "../core/report/gate/explain.ts";
import { renderMarkdown } from "../core/report/gate/markdown.ts";
import { reportPage } from "../core/report/gate/page.ts";
import { renderTerminal } from "../core/report/gate/terminal.ts";
import { historyDocument } from "../core/report/history/document.ts";
import { renderTerminalDocument } from "../core/report/kit/terminal.ts";
import { isAsConfigured, renderTry } from "../core/report/try.ts";
import { systemClock } from "../machine/sys/clock.ts";
import { cacheFolder, unwritable, writeFileAtomic } from "../machine/sys/files.ts";
import type { CommandName, Given } from "./commands.ts";
import { CAPACITY_EXIT, COMPARISON_EXIT, EXIT, VERDICT_EXIT } from "./exit-codes.ts";
import { print, show, terminalOptions } from "./output.ts";
import { createLineProgress } from "./progress.ts";

export async function runCommandLine(
  given: Given,
  invocation: Pick<Environment, "version" | "abort" | "satellites">,
): Promise<number> {
  const progress = createLineProgress({
    write: (text) => process.stderr.write(text),
    columns: process.stderr.columns ?? 100,
    style:
      process.env.GITHUB_ACTIONS === "true"
        ? "github"
        : process.stderr.isTTY
          ? "terminal"
          : "plain",
    nowMs: systemClock.nowMs,
  });
  const environment: Environment = {
    ...invocation,
    workingFolder: process.cwd(),
    env: process.env,
    cache: cacheFolder(process.env),
    clock: systemClock,
    progress,
  };
  try {
    return await runCommand(given, environment);
  } finally {
    progress.end();
  }
}

/** What was typed of this command. */
type Of<N extends CommandName> = Extract<Given, { name: N }>;

export async function runCommand(given: Given, environment: Environment): Promise<number> {
  switch (given.name) {
    case "gate": {
      const history = historyOf(given.flags, environment);
      const project = await openProject({ ...given.flags, history }, environment);
      const { report, files } = await gate(project, environment);
      return showReport(given.flags, report, files);
    }
    case "measure": {
      const history = historyOf(given.flags, environment);
      const project = await openProject({ ...given.flags, history }, environment);
      const { samples, path } = await measureOnly(project, environment);
      const { length } = samples.rounds;
      const text = `${length} rounds in ${path}; judge them: tailgate judge ${path}`;
      show(given.flags, { path, run: samples.run }, () => text);
      return samples.run.state === "failed" ? EXIT.invalid : 0;
    }
    case "judge": {
      const { explain, json, historyFolder: _, ...request } = given.flags;
      const samples = positional(given, "a samples file");
      const history = historyOf(given.flags, environment);
      const { report, files } = await judgeFile({ ...request, samples, history }, environment);
      if (explain && !json) print(describeExplanation(report.verdict));
      return showReport(given.flags, report, files);
    }
    case "report":
      return await renderReport(given, environment);
    case "export":
      return await runExport(given, environment);
    case "history":
      return await runHistory(given, environment);
    case "baseline":
      return await runBaseline(given, environment);
    case "with": {
      const [service, ...command] = given.positionals;
      if (service === undefined || command.length === 0) {
        throw new UserError("tailgate with: expected a service and a command", {
          next: "For example: tailgate with api -- cargo test",
        });
      }
      return await runWithDependencies({ ...given.flags, service, command }, environment);
    }
    case "capacity": {
      const { result, files } = await runCapacity(given, environment);
      show(
        given.flags,
        result,
        (options) =>
          renderTerminalDocument(capacityDocument(result), { details: true, ...options }),
        files,
      );
      return CAPACITY_EXIT[result.state];
    }
    case "compare": {
      const { result, files } = await runCompare(given, environment);
      show(
        given.flags,
        result,
        (options) => renderTerminalDocument(comparisonDocument(result), options),
        files,
      );
      return COMPARISON_EXIT[result.state];
    }
    case "calibrate": {
      const { profile, files } = await runCalibrate(given, environment);
      show(given.flags, profile, (options) => renderCalibrationTerminal(profile, options), files);
      return unkept(profile).length === 0 ? 0 : EXIT.undecided;
    }
    case "plan": {
      const { value, text } = describePlan(await openProject(given.flags, environment));
      show(given.flags, value, () => text);
      return 0;
    }
    case "doctor": {
      const { samples, fix } = given.flags;
      const found = await examineHost({ samples, watchMs: WATCH_MS }, environment);
      show(given.flags, found, (options) =>
        fix ? renderFixScript(found) : renderDoctor(found, options),
      );
      return 0;
    }
    case "try": {
      const { config, services, lockTimeoutMs, build, paths, json } = given.flags;
      const project = await openProject({ config, services, lockTimeoutMs }, environment);
      const options = { build, paths: paths ?? [], ports: [], enough: null };
      const result = await tryServices(project, options, environment);
      show({ json }, result, (terminal) => renderTry(result, terminal));
      return result.services.every(isAsConfigured) ? 0 : EXIT.invalid;
    }
    case "init":
      return await runInit(given, environment);
    case "setup":
      print(await setUp(environment));
      return 0;
  }
}

function historyOf(
  { historyFolder }: { historyFolder: string | null },
  { workingFolder }: Environment,
): HistoryRecord[] {
  if (historyFolder === null) return [];
  const folder = resolve(workingFolder, historyFolder);
  if (existsSync(folder)) return readFolder(folder, null);
  throw new UserError(`--history: there is no folder ${folder}`, {
    next: "Fetch it: git worktree add history origin/tailgate-history. Or leave the flag out.",
  });
}

function showReport(flags: { json: boolean }, report: Report, files: readonly string[]): number {
  show(flags, report, (options) => renderTerminal(report, options), files);
  return VERDICT_EXIT[report.verdict.state];
}

async function renderReport(
  given: Of<"report">,
  { workingFolder, satellites }: Environment,
): Promise<number> {
  const { format, output } = given.flags;
  const report = readReport(resolve(workingFolder, positional(given, "a report file")));
  const rendered = await renderAs(format ?? "terminal", report, satellites);
  if (output === null) print(rendered);
  else writeOwn(resolve(workingFolder, output), rendered);
  return 0;
}

async function runExport(given: Of<"export">, environment: Environment): Promise<number> {
  const { workingFolder, satellites } = environment;
  const { format, output } = given.flags;
  if (format === null) {
    throw new UserError("tailgate export: --format is missing", {
      next: `One of: ${EXPORT_FORMATS.map((one) => `--format ${one}`).join(", ")}.`,
    });
  }
  const path = resolve(workingFolder, positional(given, "a report file"));
  const run = { report: readReport(path), samplesPath: join(dirname(path), FILES.samples) };
  const text = await exportReport(format, run, satellites);
  if (output === null) process.stdout.write(text);
  else writeFileAtomic(resolve(workingFolder, output), text);
  return 0;
}

async function renderAs(
  format: NonNullable<Of<"report">["flags"]["format"]>,
  report: Report,
  { renderPage }: Environment["satellites"],
): Promise<string> {
  switch (format) {
    case "terminal":
      return renderTerminal(report, { ...terminalOptions(), color: "never", details: true });
    case "markdown":
      return renderMarkdown(report);
    case "html":
      return await renderPage(reportPage(report));
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}

async function runHistory({ flags }: Of<"history">, environment: Environment): Promise<number> {
  const { annotations, html, output } = flags;
  const { workingFolder } = environment;
  const historyFolder = flags.historyFolder ?? "history";
  const notes = resolve(workingFolder, annotations ?? ANNOTATIONS_FILE);
  const trend = readTrend(historyOf({ historyFolder }, environment), {
    annotations: annotations !== null || existsSync(notes) ? notes : null,
  });
  const plain =
    output === null ? terminalOptions() : { ...terminalOptions(), color: "never" as const };
  const text = html
    ? await historyPage(trend, environment)
    : renderTerminalDocument(historyDocument(trend), plain);
  if (output === null) print(text);
  else writeOwn(resolve(workingFolder, output), text);
  return 0;
}

async function runBaseline(given: Of<"baseline">, environment: Environment): Promise<number> {
  const [verb] = given.positionals;
  const { from, ...options } = given.flags;
  if (verb !== "show" && verb !== "record" && verb !== "update") {
    throw new UserError(
      verb === undefined
        ? "tailgate baseline: what to do is missing"
        : `tailgate baseline: unknown: ${verb}`,
      {
        next: "One of: tailgate baseline record, tailgate baseline update, tailgate baseline show.",
      },
    );
  }
  const history = historyOf(given.flags, environment);
  const project = await openProject({ ...options, history }, environment);
  const { baselines, text } =
    verb === "show"
      ? showBaselines(project, environment)
      : await recordBaselines({ from, mode: verb }, project, environment);
  show(given.flags, baselines, () => text);
  return 0;
}

async function runCapacity(
  { flags, positionals: [service] }: Of<"capacity">,
  environment: Environment,
) {
  const { requestsPerDay, peakFactor, utilisation, coresPerHost, hostPrice } = flags;
  const given = { requestsPerDay, peakFactor, utilisation, coresPerHost, hostPrice };
  const cost = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const { from, out } = flags;
  if (from !== null) return capacityFromFile({ samples: from, cost, out }, environment);
  if (service === undefined) {
    throw new UserError("tailgate capacity: name a service", {
      next: "Such as: tailgate capacity api --scenario echo --p99 20ms.",
    });
  }
  const project = await openProject(flags, environment);
  return await measureCapacity({ ...flags, service, cost }, project, environment);
}

async function runCompare(
  { flags, positionals: [first, second] }: Of<"compare">,
  environment: Environment,
) {
  const { from, out, scenarios, rounds } = flags;
  if (from !== null) return comparisonFromFile({ samples: from, out }, environment);
  if (first === undefined || second === undefined) {
    throw new UserError("tailgate compare: name two services", {
      next: "Such as: tailgate compare api api-next.",
    });
  }
  const project = await openProject(flags, environment);
  return await measureComparison(
    { names: [first, second], scenarios, rounds },
    project,
    environment,
  );
}

async function runCalibrate({ flags }: Of<"calibrate">, environment: Environment) {
  const { from, seed, out, rounds } = flags;
  if (from !== null) return calibrateFrom({ samples: from, seed, out }, environment);
  const project = await openProject(flags, environment);
  return await calibrate(rounds ?? DEFAULT_ROUNDS, project, environment);
}

async function runInit({ flags }: Of<"init">, environment: Environment): Promise<number> {
  const { path, text } = await initConfiguration({ run: flags.run }, environment);
  if (flags.print) {
    print(text);
    return 0;
  }
  if (existsSync(path)) {
    throw new UserError(`${path} exists already`, {
      next: "Look at what would be written: tailgate init --print.",
    });
  }
  writeOwn(path, text, "wx");
  print(`wrote ${path}; look at it, then: tailgate gate`);
  return 0;
}

/** Where the person said; it may be a device. */
function writeOwn(path: string, text: string, flag: "w" | "wx" = "w"): void {
  try {
    writeFileSync(path, text, { flag });
  } catch (error) {
    throw unwritable(
      path,
      error,
      "Name another place, or print it: leave out --output, or add --print.",
    );
  }
}

function positional({ name, positionals: [value] }: Given, what: string): string {
  if (value !== undefined) return value;
  throw new UserError(`tailgate ${name}: name ${what}`, {
    next: `tailgate ${name} --help shows an example.`,
  });
}
