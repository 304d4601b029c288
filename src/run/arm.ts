// One arm of a round: a launched service, loaded slice by slice, and what its launch came to.
import type { Scenario } from "../model/config.ts";
import { sharingConnections } from "../model/load-rules.ts";
import type { Arm, Launch, RoundFailure, Slice } from "../model/samples.ts";
import { requestsSent } from "./load/load-generator.ts";
import { fetchText } from "./probe/fetch-text.ts";
import { hostShares, readHostCounters } from "./probe/host-counters.ts";
import { parsePrometheus, type RuntimeMetrics } from "./probe/parse-prometheus.ts";
import { readUsage, resetPeak, type Usage } from "./probe/service-probe.ts";
import { type RoundContext, RoundStopped, throwIfAborted } from "./round-context.ts";
import { launchService } from "./service/launch.ts";
import { describeExit, type RunningService } from "./service/running-service.ts";
import { emptySlice, summarizeSlice } from "./slice.ts";
import { voidReason } from "./validity.ts";

/** Between ready and the reading of idle memory; between the last request and the reading of memory after load. */
const IDLE_SETTLE_MS = 100;
export const MEMORY_SETTLE_MS = 200;

export interface MeasuredSlice {
  slice: Slice;
  /** Kept requests, microseconds; empty when the slice is void. */
  latencies: Float64Array;
  /** What broke: a `crash` ends the round, a `generator` that failed may be tried again. Null: nothing did. */
  failure: RoundFailure | null;
}

/** Taken after warm-up. */
interface CountersBefore {
  usage: Usage;
  runtime: RuntimeMetrics;
  requests: number;
}

/** Where in the run something happens, for messages. */
export interface Place {
  service: string;
  /** From 0. */
  round: number;
}

export class LoadedArm {
  readonly arm: Arm;
  readonly #service: RunningService;
  readonly #context: RoundContext;
  readonly #place: Place;
  readonly #prometheus: string | null;
  readonly #idleRssBytes: number;
  #requests = 0;
  #before: CountersBefore | null = null;

  private constructor(
    arm: Arm,
    service: RunningService,
    context: RoundContext,
    facts: { place: Place; prometheus: string | null; idleRssBytes: number },
  ) {
    this.arm = arm;
    this.#service = service;
    this.#context = context;
    this.#place = facts.place;
    this.#prometheus = facts.prometheus;
    this.#idleRssBytes = facts.idleRssBytes;
  }

  /** Starts the arm and leaves it running. `onStarted` hears of the process at once, so that it can be stopped whatever follows. */
  static async launch(
    arm: Arm,
    context: RoundContext,
    place: Place,
    onStarted: (service: RunningService) => void,
  ): Promise<LoadedArm> {
    const target = context.targets[arm];
    if (target === undefined) throw new Error(`bug in tailgate: no target for the ${arm}`);
    context.onProgress(`round ${place.round + 1}, ${place.service}: starting the ${arm}`);
    const unready = (await context.dependencies?.reset(arm)) ?? null;
    throwIfAborted(context.abort);
    if (unready !== null) {
      throw new RoundStopped({ ...unready, text: `${unready.text}, in round ${place.round + 1}` });
    }
    const result = await launchService(target, {
      cpus: context.cpuSets.service,
      clock: context.clock,
      abort: context.abort,
    });
    if (result.kind === "running") onStarted(result.service);
    throwIfAborted(context.abort);
    if (result.kind === "failed") {
      throw new RoundStopped({
        kind: result.reason,
        arm,
        scenario: null,
        text: `${place.service} (${arm}) ${result.text}, in round ${place.round + 1}`,
        detail: result.detail,
      });
    }
    await context.clock.sleep(IDLE_SETTLE_MS, context.abort);
    const idleRssBytes = readUsage(result.service.pid).rssBytes;
    return new LoadedArm(arm, result.service, context, {
      place,
      prometheus: target.recipe.prometheus,
      idleRssBytes,
    });
  }

  async freeze(): Promise<void> {
    const stuck = await this.#service.freeze();
    if (stuck === null) return;
    throw new RoundStopped({
      kind: "crash",
      arm: this.arm,
      scenario: null,
      text: `${this.#name} could not be frozen in round ${this.#place.round + 1}: its process ${stuck.pid} stays in state ${stuck.state}`,
      detail: this.#service.tail(),
    });
  }

  thaw(): void {
    this.#service.thaw();
  }

  /** Wrong answers are no failure here: if they last, they void the slices that follow. */
  async warmUp(scenario: Scenario): Promise<void> {
    if (scenario.warmupRequests === 0) return;
    const load = await this.#context.generator.run({
      scenario,
      port: this.#service.port,
      requests: scenario.warmupRequests,
      cpus: this.#context.cpuSets.generator,
      folder: this.#context.folder,
      abort: this.#context.abort,
    });
    this.#requests += requestsSent(load, { requests: scenario.warmupRequests });
    throwIfAborted(this.#context.abort);
    const when = `in round ${this.#place.round + 1}, during warm-up of ${scenario.id}`;
    const crash = this.#crash(scenario, when);
    if (crash !== null) throw new RoundStopped(crash);
    if (load.kind === "failed") {
      throw new RoundStopped(this.#generatorFailure(scenario, load, when));
    }
  }

  /** After warm-up: from here on the launch's counters are those of the slices. */
  async beginCounting(): Promise<void> {
    const runtime = await this.#scrape();
    resetPeak(this.#service.pid);
    this.#before = { usage: readUsage(this.#service.pid), runtime, requests: this.#requests };
  }

  /** One slice of load; void ones are marked so. */
  async load(scenario: Scenario, pair: number, attempt: number): Promise<MeasuredSlice> {
    const { clock, cpuSets, runStartMs, readCounters = readHostCounters } = this.#context;
    const requests = Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
    const known = {
      service: this.#service.leaders(),
      dependencies: this.#context.dependencies?.pids() ?? [],
    };
    const before = readCounters(cpuSets, known, clock.nowMs());
    const load = await this.#context.generator.run({
      scenario,
      port: this.#service.port,
      requests,
      cpus: cpuSets.generator,
      folder: this.#context.folder,
      abort: this.#context.abort,
    });
    this.#requests += requestsSent(load, { requests });
    throwIfAborted(this.#context.abort);
    const after = readCounters(cpuSets, known, clock.nowMs());
    const facts = {
      arm: this.arm,
      pair,
      attempt,
      startedAtMs: before.atMs - runStartMs,
      scheduled: requests,
      host: hostShares(before, after, cpuSets),
    };
    const when = `in round ${this.#place.round + 1}, during ${scenario.id}`;
    const crash = this.#crash(scenario, when);
    if (load.kind === "failed") {
      const slice = emptySlice(facts);
      slice.void = { rule: "generator-failed", detail: load.text };
      const failure = crash ?? this.#generatorFailure(scenario, load, when);
      return { slice, latencies: new Float64Array(), failure };
    }
    const { slice, latencies } = summarizeSlice(load, scenario, facts);
    slice.void =
      crash === null
        ? voidReason(slice, scenario, this.#context.errorBudget)
        : { rule: "service-gone", detail: crash.text };
    return {
      slice,
      latencies: slice.void === null ? latencies : new Float64Array(),
      failure: crash,
    };
  }

  /** What the launch came to; the service is frozen, so that its memory holds still. */
  readLaunch(): Launch {
    const before = this.#counted();
    const usage = readUsage(this.#service.pid);
    const per1k = (delta: number): number => (1000 * delta) / this.#sinceWarmUp();
    const connections = sharingConnections(this.#context.scenarios);
    return {
      requests: this.#requests,
      values: {
        rss: usage.rssBytes,
        rssIdle: this.#idleRssBytes,
        rssPeak: usage.peakBytes,
        // The generator has closed its connections by now: the peak is from when all were open.
        ...(connections === null
          ? {}
          : { rssPerConnection: (usage.peakBytes - this.#idleRssBytes) / connections }),
        anon: usage.anonBytes,
        pss: usage.pssBytes,
        startup: this.#service.startupMs,
        cpuPer1k: per1k(usage.cpuMs - before.usage.cpuMs),
        ctxVoluntaryPer1k: per1k(usage.voluntarySwitches - before.usage.voluntarySwitches),
        ctxInvoluntaryPer1k: per1k(usage.involuntarySwitches - before.usage.involuntarySwitches),
        threads: usage.threads,
        fds: usage.files,
      },
    };
  }

  /** What the service says of its own runtime; it runs. Empty when it says nothing. */
  async readRuntime(): Promise<Launch["values"]> {
    const before = this.#counted().runtime;
    const now = await this.#scrape();
    const values: Launch["values"] = {};
    if (now.gcPauseMaxUs !== undefined) values.gcPauseMax = now.gcPauseMaxUs;
    if (now.heapBytes !== undefined) values.heap = now.heapBytes;
    if (now.gcCycles !== undefined && before.gcCycles !== undefined) {
      values.gcCycles = now.gcCycles - before.gcCycles;
    }
    if (now.allocatedBytes !== undefined && before.allocatedBytes !== undefined) {
      values.allocPerRequest = (now.allocatedBytes - before.allocatedBytes) / this.#sinceWarmUp();
    }
    return values;
  }

  #counted(): CountersBefore {
    if (this.#before === null) throw new Error("bug in tailgate: read before beginCounting");
    return this.#before;
  }

  #sinceWarmUp(): number {
    return Math.max(1, this.#requests - this.#counted().requests);
  }

  async #scrape(): Promise<RuntimeMetrics> {
    if (this.#prometheus === null) return {};
    const page = await fetchText(this.#service.port, this.#prometheus, this.#context.abort);
    return page === null ? {} : parsePrometheus(page);
  }

  get #name(): string {
    return `${this.#place.service} (${this.arm})`;
  }

  /** `when`: where in the run, in words. Null while the service runs. */
  #crash(scenario: Scenario, when: string): RoundFailure | null {
    const exit = this.#service.exit();
    if (exit === null) return null;
    return {
      kind: "crash",
      arm: this.arm,
      scenario: scenario.id,
      text: `${this.#name} ${describeExit(exit)} ${when}`,
      detail: this.#service.tail(),
    };
  }

  #generatorFailure(
    scenario: Scenario,
    load: { text: string; detail: string },
    when: string,
  ): RoundFailure {
    return {
      kind: "generator",
      arm: this.arm,
      scenario: scenario.id,
      text: `${load.text} ${when}`,
      detail: load.detail,
    };
  }
}
