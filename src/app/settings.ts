// What every use case is given: where we are, what the person asked for, and the few ports to the
// outside.
import type { ProposedUpdate, Refusal } from "../core/baseline/update/model.ts";
import type { CapacityFacts, CapacityResult } from "../core/capacity/model.ts";
import type { ServiceComparison, ServiceFacts } from "../core/comparison/model.ts";
import type { Baseline } from "../core/model/baseline.ts";
import type {
  BisectKernel,
  BisectOptions,
  BisectQuestion,
  BisectResult,
} from "../core/model/bisect.ts";
import type { CompareMode, Config, Service } from "../core/model/config.ts";
import type { Examination } from "../core/model/doctor.ts";
import type { Annotation, ExportFormat, LaunchValues } from "../core/model/export.ts";
import type { HistoryRecord, Note, Trend } from "../core/model/history.ts";
import type { Finding } from "../core/model/host.ts";
import type { ExplainKernel, OhaKernel } from "../core/model/kernels.ts";
import type { NightFacts, NightText } from "../core/model/night.ts";
import type { PlanFacts } from "../core/model/plan.ts";
import type { Profile } from "../core/model/profile.ts";
import type { Report } from "../core/model/report.ts";
import type { Explanation } from "../core/model/samples.ts";
import type { InitFlags, InitKernel, TryResult } from "../core/model/try.ts";
import type { Verdict } from "../core/model/verdict.ts";
import type { Document, Page } from "../core/report/kit/blocks.ts";
import type { Link } from "../core/report/kit/markdown.ts";
import type { TerminalOptions } from "../core/report/kit/terminal.ts";
import type { Clock } from "../machine/sys/clock.ts";
import type { Progress } from "./progress.ts";

export interface Environment {
  version: string;
  /** Where the command was given. */
  workingFolder: string;
  env: NodeJS.ProcessEnv;
  /** Built artifacts and tools. */
  cache: string;
  clock: Clock;
  progress: Progress;
  /** Aborted by SIGINT or SIGTERM. */
  abort: AbortSignal;
  satellites: Satellites;
}

export interface FirstConfiguration {
  files: readonly { path: string; text: string }[];
  /** What was written, and what comes next. */
  says: string;
  /** It has a stand-in for a service. */
  foundNothing: boolean;
}

/**
 * What only reads or writes our formats, in programs of their own below `satellites/`: each is
 * loaded when it is called, and the kernel knows no more of them than this. `src/entry/` hands them
 * in.
 */
export interface Satellites {
  init(): Promise<Init>;
  export(): Promise<Export>;
  explain(): Promise<Explain>;
  pages(): Promise<Pages>;
  sheets(): Promise<Sheets>;
  bisect(): Promise<Bisect>;
  completion(): Promise<Completion>;
  demo(): Promise<Demo>;
  /** Throws a UserError where there is no way to have one. */
  installOha(kernel: OhaKernel): Promise<void>;
}

interface Init {
  initConfiguration(
    options: InitFlags & { workingFolder: string; path: string | undefined },
    kernel: InitKernel,
  ): Promise<FirstConfiguration>;
}

interface Export {
  /** `launches` is asked for only by a format that has them. */
  renderExport(format: ExportFormat, report: Report, launches: () => LaunchValues): string;
}

interface Completion {
  /** By the help of each command. Throws a UserError for a shell that it does not know. */
  renderCompletion(shell: string, helps: Readonly<Record<string, string>>): string;
  renderOverview(version: string, table: Readonly<Record<string, { summary: string }>>): string;
}

/** A change that is slower by a mistake. */
export interface Demo {
  /** In an empty folder. */
  makeRepository(folder: string, git: (args: readonly string[]) => Promise<unknown>): Promise<void>;
  tellDemo(report: Report, files: readonly string[]): string;
}

/** Throws a UserError for what is asked wrongly. */
export interface Bisect {
  parseRange(range: string): [string, string];
  chooseService(
    config: Config,
    of: BisectOptions,
  ): Pick<Config, "scenarios"> & { service: Service };
  chooseQuestions<Q extends BisectQuestion>(all: readonly Q[], of: BisectOptions): Q[];
  linesIn(numstat: string, isOwn: (path: string) => boolean): number;
  /** Throws what the kernel throws. */
  bisect(kernel: BisectKernel): Promise<BisectResult>;
}

/** Why one of two builds costs more, by profiles of both. */
export interface Explain {
  explain(kernel: ExplainKernel): Promise<Explained>;
  /** Where what is worst may show; null: nothing of it can. */
  chooseRed(report: Report): { service: string; scenario: string } | null;
  /** What profiles may be taken here. `path`: of programs. */
  checkPerf(path: string | undefined): Finding;
}

/** `profiles`: as pprof reads them, by file; none where there was nothing to profile with. */
export interface Explained extends Told<{ tool: string }> {
  /** For reports. */
  brief: Explanation;
  profiles: Readonly<Record<string, Uint8Array>>;
}

/** Self-contained HTML, and histories as they are looked at. */
export interface Pages {
  renderPage(page: Page): string;
  renderReportPage(report: Report): string;
  /** A commit stands where it was measured first. Throws a UserError, for which `file` is named. */
  parseAnnotations(text: string, file: string, records: readonly HistoryRecord[]): Note[];
  renderHistory(trend: Trend, options: TerminalOptions): string;
  renderHistoryPage(trend: Trend, tool: string): string;
}

/** What is found beside the report of a gate, for a person. */
export interface Sheets {
  renderDoctor(found: Examination, options: TerminalOptions): string;
  /** A shell script. */
  renderFixScript(found: Examination): string;
  renderTry(result: TryResult, options: TerminalOptions): string;
  renderCalibration(profile: Profile, options: TerminalOptions): string;
  calibrationHeadline(profile: Profile): string;
  /** The verdict, what decided it, warnings; nothing for a pass without warnings. */
  renderAnnotations(report: Report): Annotation[];
  /** The evidence for each comparison. */
  describeExplanation(verdict: Verdict): string;
  /** By medians; `drift`: what is known of a value's. */
  renderBaseline(
    baseline: Baseline,
    previous: Baseline | null,
    median: (values: readonly number[]) => number,
    drift?: (key: string) => string,
  ): string;
  /** Why a run cannot become a baseline; lines after the first are what a program said. */
  describeRefusal(refusal: Refusal): string;
  renderUpdateTitle(update: ProposedUpdate): string;
  /** Markdown. */
  renderUpdateBody(
    update: ProposedUpdate,
    beside: { links: readonly Link[]; notes: readonly string[] },
  ): string;
  tellNight(facts: NightFacts): NightText;
  /** What a run would do, for a program and for a person. */
  tellPlan(facts: PlanFacts): { value: object; text: string };
  tellCapacity(facts: CapacityFacts): Told<CapacityResult>;
  tellComparison(facts: ServiceFacts): Told<ServiceComparison>;
}

/** A result with its words, and as a document. */
export interface Told<R> {
  result: R;
  document: Document;
}

/**
 * What a command is asked for beside the configuration. It ends in `openProject`: absent or null is
 * as configured, or the default.
 */
export interface ProjectOptions {
  /**
   * Configuration file, relative to the working folder; default: tailgate.yml at the repository's
   * root.
   */
  config?: string | null;
  compare?: CompareMode | null;
  /** A git revision; default: the merge base with the default branch. */
  reference?: string | null;
  seed?: number | null;
  timeBudgetMs?: number | null;
  /** Go on after a proven regression until every question is answered; default: as configured. */
  answerAll?: boolean;
  /** Leave a red verdict unexplained; default: as configured. */
  noExplain?: boolean;
  /** Only these services; default: all. */
  services?: readonly string[] | null;
  /** Measure one shard of the run, which is then judged with the others; `index` counts from 1. */
  shard?: { index: number; of: number } | null;
  /**
   * Folder for samples and reports, relative to the working folder; default: .tailgate at the
   * repository's root.
   */
  out?: string | null;
  /** Of the default branch: what stored values may drift by is learned from it; default: none. */
  history?: readonly HistoryRecord[];
  /** Continue the samples file in `out`. */
  resume?: boolean;
  /** Measure services that are the same in both arms as well. */
  measureUnchanged?: boolean;
  /** How long to wait for another gate on this machine; default: 30 minutes. */
  lockTimeoutMs?: number | null;
}
