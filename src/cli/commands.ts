// Each command: typed words in, use case, text out. Nothing is computed here.
import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { recordBaselines, showBaselines } from "../app/baseline.ts";
import { examineHost, WATCH_MS } from "../app/doctor.ts";
import { describeExplanation } from "../app/explain.ts";
import { gate, measureOnly } from "../app/gate.ts";
import { initConfiguration } from "../app/init.ts";
import { judgeFile } from "../app/judge.ts";
import { describePlan } from "../app/plan.ts";
import { readReport } from "../app/report-file.ts";
import type { Environment, MeasureOptions } from "../app/settings.ts";
import { setUp } from "../app/setup.ts";
import { runWithDependencies } from "../app/with-dependencies.ts";
import { UserError } from "../base/errors.ts";
import { parseDuration } from "../config/units.ts";
import { COMPARE_MODES, type CompareMode } from "../model/config.ts";
import type { Report } from "../model/report.ts";
import { EXIT_CODES } from "../model/verdict.ts";
import { renderDoctor, renderFixScript } from "../report/doctor.ts";
import { renderHtml } from "../report/html/page.ts";
import { renderMarkdown } from "../report/markdown.ts";
import { renderTerminal, type TerminalOptions } from "../report/terminal.ts";
import { systemClock } from "../sys/clock.ts";
import { cacheFolder } from "../sys/files.ts";
import { runCalibrateCommand } from "./calibrate.ts";
import { runCapacityCommand } from "./capacity.ts";
import { type Parsed, textOf } from "./command-line.ts";
import { runCompareCommand } from "./compare.ts";
import { createLineProgress } from "./progress.ts";

const DEFAULT_LOCK_WAIT_MS = 30 * 60 * 1000;

export interface Invocation {
  version: string;
  abort: AbortSignal;
}

export async function runCommandLine(parsed: Parsed, invocation: Invocation): Promise<number> {
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
    version: invocation.version,
    workingFolder: process.cwd(),
    env: process.env,
    cache: cacheFolder(process.env),
    clock: systemClock,
    progress,
    abort: invocation.abort,
  };
  try {
    return await dispatch(parsed, environment);
  } finally {
    progress.end();
  }
}

async function dispatch(parsed: Parsed, environment: Environment): Promise<number> {
  switch (parsed.command.name) {
    case "gate": {
      const result = await gate(measureOptions(parsed), environment);
      return showReport(parsed, result.report, result.files);
    }
    case "measure": {
      const { samples, path } = await measureOnly(measureOptions(parsed), environment);
      if (isSet(parsed, "json")) print(JSON.stringify({ path, run: samples.run }));
      else print(`${samples.rounds.length} rounds in ${path}; judge them: tailgate judge ${path}`);
      return samples.run.state === "failed" ? EXIT_CODES.invalid : 0;
    }
    case "judge": {
      const result = await judgeFile(
        {
          samples: positional(parsed, "a samples file"),
          config: textOf(parsed, "config"),
          baselines: textOf(parsed, "baselines"),
          out: textOf(parsed, "out"),
        },
        environment,
      );
      if (isSet(parsed, "explain") && !isSet(parsed, "json")) {
        print(describeExplanation(result.report.verdict));
      }
      return showReport(parsed, result.report, result.files);
    }
    case "report":
      return reportCommand(parsed, environment);
    case "baseline":
      return await baselineCommand(parsed, environment);
    case "with":
      return await runWith(parsed, environment);
    case "capacity":
      return await runCapacityCommand(parsed, measureOptions(parsed), environment);
    case "compare":
      return await runCompareCommand(parsed, measureOptions(parsed), environment);
    case "calibrate":
      return await runCalibrateCommand(parsed, measureOptions(parsed), environment);
    case "plan": {
      const plan = await describePlan(measureOptions(parsed), environment);
      print(isSet(parsed, "json") ? JSON.stringify(plan.value) : plan.text);
      return 0;
    }
    case "doctor": {
      const found = await examineHost(
        { samples: textOf(parsed, "samples"), watchMs: WATCH_MS },
        environment,
      );
      if (isSet(parsed, "json")) print(JSON.stringify(found));
      else if (isSet(parsed, "fix")) print(renderFixScript(found).trimEnd());
      else print(renderDoctor(found, terminalOptions()).trimEnd());
      return 0;
    }
    case "init": {
      const made = await initConfiguration(environment);
      if (isSet(parsed, "print")) {
        print(made.text.trimEnd());
        return 0;
      }
      if (existsSync(made.path)) {
        throw new UserError(`${made.path} exists already`, {
          next: "Look at what would be written: tailgate init --print.",
        });
      }
      writeFileSync(made.path, made.text, { flag: "wx" });
      print(`wrote ${made.path}; look at it, then: tailgate gate`);
      return 0;
    }
    case "setup":
      print(await setUp({ lockTimeoutMs: DEFAULT_LOCK_WAIT_MS }, environment));
      return 0;
    default:
      throw new Error(`bug in tailgate: command ${parsed.command.name} has no code`);
  }
}

function showReport(parsed: Parsed, report: Report, files: readonly string[]): number {
  if (isSet(parsed, "json")) {
    print(JSON.stringify(report));
  } else {
    print(renderTerminal(report, terminalOptions()).trimEnd());
    if (files.length > 0) print(`\nFiles\n${files.map((file) => `  ${file}`).join("\n")}`);
  }
  return EXIT_CODES[report.verdict.state];
}

const FORMATS = ["terminal", "markdown", "html", "json"] as const;

function reportCommand(parsed: Parsed, environment: Environment): number {
  const path = resolve(environment.workingFolder, positional(parsed, "a report file"));
  const report = readReport(path);
  const format = oneOf(parsed, "format", FORMATS) ?? "terminal";
  const rendered = renderAs(format, report);
  const output = textOf(parsed, "output");
  if (output === null) print(rendered.trimEnd());
  else writeFileSync(resolve(environment.workingFolder, output), rendered);
  return 0;
}

function renderAs(format: (typeof FORMATS)[number], report: Report): string {
  switch (format) {
    case "terminal":
      return renderTerminal(report, { width: process.stdout.columns ?? 100, color: "never" });
    case "markdown":
      return renderMarkdown(report);
    case "html":
      return renderHtml(report);
    case "json":
      return `${JSON.stringify(report, null, 2)}\n`;
  }
}

async function baselineCommand(parsed: Parsed, environment: Environment): Promise<number> {
  const verb = parsed.positionals[0];
  const options = measureOptions(parsed);
  switch (verb) {
    case "show": {
      const shown = await showBaselines(options, environment);
      print(isSet(parsed, "json") ? JSON.stringify(shown.baselines) : shown.text);
      return 0;
    }
    case "record":
    case "update": {
      const written = await recordBaselines(
        { ...options, from: textOf(parsed, "from"), mode: verb },
        environment,
      );
      print(isSet(parsed, "json") ? JSON.stringify(written.baselines) : written.text);
      return 0;
    }
    default:
      throw new UserError(
        verb === undefined
          ? "tailgate baseline: what to do is missing"
          : `tailgate baseline: unknown: ${verb}`,
        {
          next: "One of: tailgate baseline record, tailgate baseline update, tailgate baseline show.",
        },
      );
  }
}

function measureOptions(parsed: Parsed): MeasureOptions {
  const services = parsed.values.service;
  return {
    config: textOf(parsed, "config"),
    compare: oneOf(parsed, "compare", COMPARE_MODES) as CompareMode | null,
    reference: textOf(parsed, "reference"),
    seed: seed(parsed),
    timeBudgetMs: duration(parsed, "time-budget"),
    services: Array.isArray(services) && services.length > 0 ? services : null,
    out: textOf(parsed, "out"),
    resume: isSet(parsed, "resume"),
    lockTimeoutMs: duration(parsed, "wait") ?? DEFAULT_LOCK_WAIT_MS,
  };
}

function terminalOptions(): TerminalOptions {
  return {
    width: process.stdout.columns ?? 100,
    color: process.stdout.isTTY && process.env.NO_COLOR === undefined ? "always" : "never",
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function isSet(parsed: Parsed, name: string): boolean {
  return parsed.values[name] === true;
}

function positional(parsed: Parsed, what: string): string {
  const [value] = parsed.positionals;
  if (value === undefined) {
    throw new UserError(`tailgate ${parsed.command.name}: name ${what}`, {
      next: `tailgate ${parsed.command.name} --help shows an example.`,
    });
  }
  return value;
}

function oneOf<T extends string>(parsed: Parsed, name: string, allowed: readonly T[]): T | null {
  const value = textOf(parsed, name);
  if (value === null) return null;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) {
    throw new UserError(`--${name} ${value}: expected one of ${allowed.join(", ")}`);
  }
  return found;
}

function duration(parsed: Parsed, name: string): number | null {
  const value = textOf(parsed, name);
  if (value === null) return null;
  const parsedDuration = parseDuration(value);
  if (!parsedDuration.ok || parsedDuration.value <= 0) {
    throw new UserError(`--${name} ${value}: expected a duration such as 90s or 10m`);
  }
  return parsedDuration.value;
}

function seed(parsed: Parsed): number | null {
  const value = textOf(parsed, "seed");
  if (value === null) return null;
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 0xffffffff) {
    throw new UserError(`--seed ${value}: expected a whole number from 0 to 4294967295`);
  }
  return number;
}

async function runWith(parsed: Parsed, environment: Environment): Promise<number> {
  const [service, ...command] = parsed.positionals;
  if (service === undefined || command.length === 0) {
    throw new UserError("tailgate with: expected a service and a command", {
      next: "For example: tailgate with api -- cargo test",
    });
  }
  const { config } = parsed.values;
  return await runWithDependencies(
    { config: typeof config === "string" ? config : null, service, command },
    environment,
  );
}
