// One arm of a round: a launched service, loaded slice by slice, and what its launch came to.
import { UserError } from "../../core/base/errors.ts";
import type { Scenario } from "../../core/model/config.ts";
import { sharingConnections } from "../../core/model/load-rules.ts";
import { unknownBeside } from "../../core/model/one-answer.ts";
import { total } from "../../core/model/parts.ts";
import type { Answer, Arm, Launch, RoundFailure } from "../../core/model/samples.ts";
import { type LoadFailed, type LoadRequest, requestsSent, sendBy } from "../../core/slice/load.ts";
import { emptySlice, summarizeSlice } from "../../core/slice/slice.ts";
import { voidReason } from "../../core/slice/validity.ts";
import { shareLost } from "../host/core-speed.ts";
import { describeExit } from "../sys/process.ts";
import { type Asked, answeredByLoad, ask, askUntilServed, couldCompress } from "./probe/ask.ts";
import { fetchText } from "./probe/exchange.ts";
import { hostShares, neededShare, readHostCounters } from "./probe/host-counters.ts";
import { describeListening } from "./probe/listening-ports.ts";
import { parsePrometheus, type RuntimeMetrics } from "./probe/parse-prometheus.ts";
import { readUsage, resetPeak, type Usage } from "./probe/service-probe.ts";
import { type RoundContext, RoundStopped, throwIfAborted, type Unshared } from "./round-context.ts";
import { type FilledScenarios, fillScenarios } from "./service/fill-scenarios.ts";
import { launchService } from "./service/launch.ts";
import { addressOf, type RunningService } from "./service/running-service.ts";
import type { Measured } from "./tally.ts";

/** Between ready and the reading of idle memory, where that is judged. */
export const IDLE_SETTLE_MS = 100;
/** Between the last request and the reading of memory after load. */
export const MEMORY_SETTLE_MS = 200;

/** What an arm answered before any load. */
export interface FirstAnswer {
  /** Null: there was none, or it was not kept. */
  answer: Answer | null;
  /** See Asked. */
  json?: unknown;
  /** Null: it is as expected. */
  wrong: RoundFailure | null;
}

interface MeasuredSlice extends Measured {
  /**
   * What broke: a `crash` ends the round, anything else may be tried again. Null: nothing did.
   */
  failure: RoundFailure | null;
}

/** At one moment of the launch. */
interface Counters {
  usage: Usage;
  requests: number;
}

/** Where in the run something happens, for messages. */
interface Place {
  /** Of the arm: `api (candidate)`. */
  name: string;
  /** `round 3`. */
  where: string;
  /** Then a service that does not start is not configured as it should be. */
  isFirst: boolean;
}

/** Starts an arm's service and leaves it running, stopped by a signal or not. */
export async function launchArm(
  arm: Arm,
  context: RoundContext,
  place: Place,
): Promise<RunningService> {
  const target = context.targets[arm];
  if (target === undefined) throw new Error(`no target for the ${arm}`);
  const unready = (await context.dependencies?.reset(arm)) ?? null;
  throwIfAborted(context.abort);
  if (unready !== null) {
    throw new RoundStopped({ ...unready, text: `${unready.text}, in ${place.where}` });
  }
  const result = await launchService(target, { ...context, cpus: context.cpuSets.service });
  if (result.kind === "running") return result.service;
  throwIfAborted(context.abort);
  const { reason, detail, next, outOfTime } = result;
  const text = `${place.name} ${result.text}, in ${place.where}`;
  if (next !== undefined && place.isFirst) throw new UserError(text, { detail, next });
  // Who is started when the time is over says nothing of the two: the other may be as slow.
  const guilty = outOfTime ? null : arm;
  throw new RoundStopped({ kind: reason, arm: guilty, scenario: null, text, detail });
}

export class LoadedArm {
  readonly arm: Arm;
  /** What this arm has otherwise or not at all; null: it has all. */
  readonly unshared: Unshared | null;
  readonly #service: RunningService;
  readonly #context: RoundContext;
  readonly #place: Place;
  /** What is sent; the values in it are secret. */
  readonly #filled: FilledScenarios;
  #idleRssBytes = 0;
  #requests = 0;
  /** From then on it must serve: known with the first question. */
  #readyAtMs = 0;
  /** After warm-up, and after the last slice. */
  #before: (Counters & { runtime: RuntimeMetrics }) | null = null;
  #after: Counters | null = null;

  /** `service`: of `launchArm`. Throws where its scenarios need what its `before` did not give. */
  constructor(arm: Arm, service: RunningService, context: RoundContext, place: Place) {
    this.arm = arm;
    this.unshared = (arm === "reference" && context.unshared) || null;
    this.#service = service;
    this.#context = context;
    this.#place = place;
    const scenarios = fillScenarios(
      // What its own configuration has otherwise may need other values, and is filled when asked.
      context.scenarios.filter(({ id }) => this.unshared?.has(id) !== true),
      service.values,
    );
    if (!scenarios.ok) {
      const text = `${place.name}, ${scenarios.why}, in ${place.where}`;
      throw new UserError(text, { next: scenarios.next });
    }
    this.#filled = scenarios.filled;
  }

  async stop(): Promise<void> {
    await this.#service.stop();
  }

  /** Before any request. */
  readIdle(): void {
    this.#idleRssBytes = readUsage(this.#service.pid).rssBytes;
  }

  /** One answer to the scenario's request. */
  async ask(own: Scenario): Promise<FirstAnswer> {
    const scenario = this.unshared?.asked(own) ?? own;
    const { clock, abort, folder, secrets, targets, timeBudgetMs = Infinity } = this.#context;
    const readyMs = targets[this.arm]?.recipe.ready.timeoutMs ?? 0;
    this.#readyAtMs ||= clock.nowMs() + Math.min(readyMs, timeBudgetMs);
    const place = { ...addressOf(this.#service), folder, abort, mask: secrets?.mask };
    const sent = { scenario: this.#sent(scenario), ...place };
    const once = (): Promise<Asked> => {
      this.#requests += 1;
      return scenario.request.pathIsPattern ? this.#askByPattern(scenario) : ask(sent);
    };
    const { status, answer, seen, json } = await askUntilServed(once, {
      isFinal: ({ status }) => status === scenario.expectStatus,
      readyAtMs: this.#readyAtMs,
      isGone: () => this.#service.exit() !== null,
      clock,
      abort,
    });
    throwIfAborted(abort);
    if (status !== scenario.expectStatus) {
      return { answer, json, wrong: this.#wrongAnswer(scenario, seen) };
    }
    const isCompressed = this.#place.isFirst ? await couldCompress(sent) : null;
    if (isCompressed !== null) this.#requests += 1;
    if (answer !== null && isCompressed) answer.couldCompress = true;
    return { answer, json, wrong: null };
  }

  /** The answer to the same request for a path that no service knows; null: there was none. */
  async askUnknown(scenario: Scenario): Promise<Answer | null> {
    const { abort, folder } = this.#context;
    const { request, ...sent } = this.#sent(scenario);
    const asked = { ...sent, request: { ...request, path: unknownBeside(request.path) } };
    this.#requests += 1;
    return (await ask({ scenario: asked, ...addressOf(this.#service), folder, abort })).answer;
  }

  #wrongAnswer(scenario: Scenario, seen: string): RoundFailure {
    const { method, path } = scenario.request;
    const text = `${this.#place.name}, ${scenario.name}: ${method} ${path} got ${seen}, expected ${scenario.expectStatus}; the service ${describeListening(this.#service.listening())}`;
    return this.#failure("answer", scenario, text);
  }

  async #askByPattern(scenario: Scenario): Promise<Asked> {
    const load = await this.#context.generator.run(this.#loadRequest(scenario, 1));
    if (load.kind === "failed")
      throw new RoundStopped(this.#generatorFailure(scenario, load, "before any load"));
    return answeredByLoad(load);
  }

  #loadRequest(scenario: Scenario, requests: number): LoadRequest {
    const { cpuSets, folder, abort } = this.#context;
    const sent = { scenario: this.#sent(scenario), ...addressOf(this.#service), requests };
    return { ...sent, cpus: cpuSets.generator, folder, abort };
  }

  #sent(scenario: Scenario): Scenario {
    const { id } = scenario;
    const given = this.unshared?.has(id)
      ? fillScenarios([scenario], this.#service.values)
      : { ok: true as const, filled: this.#filled };
    const { request, mix } = (given.ok ? given.filled.get(id) : null) ?? scenario;
    return { ...scenario, request, mix };
  }

  async freeze(): Promise<void> {
    const stuck = await this.#service.freeze();
    if (stuck === null) return;
    const text = `${this.#place.name} could not be frozen in ${this.#place.where}: its process ${stuck.pid} stays in state ${stuck.state}`;
    throw new RoundStopped(this.#failure("crash", null, text));
  }

  thaw(): void {
    this.#service.thaw();
  }

  async warmUp(own: Scenario): Promise<void> {
    const scenario = this.unshared?.asked(own) ?? own;
    if (scenario.warmupRequests === 0) return;
    const phase = `during warm-up of ${scenario.id}`;
    await this.#send(scenario, scenario.warmupRequests, { phase, fewer: "warmup" });
  }

  /** After warm-up: from here on the launch's counters are those of the slices. */
  async beginCounting(): Promise<void> {
    const runtime = await this.#scrape();
    resetPeak(this.#service.pid);
    this.#before = { ...this.#counters(), runtime };
  }

  /** One slice of load; void ones are marked so. */
  async load(own: Scenario, pair: number, attempt: number): Promise<MeasuredSlice> {
    const scenario = this.unshared?.asked(own) ?? own;
    const { cpuSets, runStartMs } = this.#context;
    const requests = Math.round((scenario.rateRps * scenario.slice.durationMs) / 1000);
    const when = `in ${this.#place.where}, during ${scenario.id}`;
    const { load, before, after, crash } = await this.run(scenario, requests, when);
    const startedAtMs = before.atMs - runStartMs;
    const answered = load.kind === "failed" ? 0 : total(load.statuses);
    const host = {
      ...hostShares(before, after, cpuSets),
      ...neededShare(before, after, cpuSets, { answered, rateRps: scenario.rateRps }),
    };
    const slow = after.slow?.filter(({ toMs }) => toMs > before.atMs);
    const lostIn =
      slow && ((from: number, to: number) => shareLost(slow, before.atMs + from, before.atMs + to));
    const facts = { arm: this.arm, pair, attempt, startedAtMs, scheduled: requests, host, lostIn };
    if (load.kind === "failed") {
      const slice = emptySlice(facts);
      slice.void = { rule: "generator-failed", detail: load.text };
      const failure = crash ?? this.#tooSlow(scenario, load, { requests, when });
      return { slice, latencies: new Float64Array(), parts: [], failure };
    }
    const { slice, latencies } = summarizeSlice(load, scenario, facts);
    slice.void =
      crash === null
        ? voidReason(slice, scenario, this.#context.errorBudget)
        : { rule: "service-gone", detail: crash.text };
    const counted = (own: Float64Array): Float64Array =>
      slice.void === null ? own : new Float64Array();
    const parts = (load.kind === "done" ? (load.parts ?? []) : []).map((part) => {
      const own = { ...facts, scheduled: part.requests };
      const summary = summarizeSlice(part.load, part.scenario, own);
      // They were one load: all of them count, or none.
      summary.slice.void = slice.void;
      return { slice: summary.slice, latencies: counted(summary.latencies), parts: [] };
    });
    return { slice, latencies: counted(latencies), parts, failure: crash };
  }

  /** So many requests at the scenario's rate, with the machine's counters before and after. */
  async run(scenario: Scenario, requests: number, when: string) {
    const { clock, cpuSets, readCounters = readHostCounters } = this.#context;
    const dependencies = this.#context.dependencies?.pids() ?? [];
    const known = { service: this.#service.processGroupIds(), dependencies };
    const before = readCounters(cpuSets, known, clock.nowMs());
    const load = await this.#context.generator.run(this.#loadRequest(scenario, requests));
    this.#requests += requestsSent(load, { requests });
    throwIfAborted(this.#context.abort);
    const after = readCounters(cpuSets, known, clock.nowMs());
    return { load, before, after, crash: await this.#crash(scenario, when) };
  }

  /** After the last slice: what follows is for memory alone. */
  endCounting(): void {
    this.#after = this.#counters();
  }

  /** After the last slice, before memory is read. */
  async sendRest(own: Scenario, requests: number): Promise<void> {
    const scenario = this.unshared?.asked(own) ?? own;
    const phase = `before memory is read, with requests of ${scenario.id}`;
    await this.#send(scenario, requests, { phase, fewer: "memory.requests" });
  }

  /**
   * Requests that are in no quantile. Wrong answers are no failure here: if they last, they void
   * the slices. `fewer`: the key by which fewer are sent.
   */
  async #send(
    scenario: Scenario,
    requests: number,
    { phase, fewer }: { phase: string; fewer: string },
  ): Promise<void> {
    const load = await sendBy(this.#context.generator, this.#loadRequest(scenario, requests));
    this.#requests += requestsSent(load, { requests });
    throwIfAborted(this.#context.abort);
    const when = `in ${this.#place.where}, ${phase}`;
    const crash = await this.#crash(scenario, when);
    if (crash !== null) throw new RoundStopped(crash);
    if (load.kind !== "failed") return;
    throw new RoundStopped(this.#tooSlow(scenario, load, { requests, when, fewer }));
  }

  /** So far, in all. */
  get requests(): number {
    return this.#requests;
  }

  /**
   * What the launch came to. Its memory too, `withMemory`: then the service is frozen, so that it
   * holds still.
   */
  readLaunch(withMemory: boolean): Launch {
    if (this.#after === null) throw new Error("read before endCounting");
    const { usage, requests } = this.#after;
    const before = this.#counted();
    const per1k = (delta: number): number =>
      (1000 * delta) / Math.max(1, requests - before.requests);
    const memory = withMemory ? readUsage(this.#service.pid) : null;
    const { rssBytes: rss, pssBytes: pss } = before.usage;
    return {
      requests: this.#requests,
      warm: withMemory ? { requests: before.requests, rss, pss } : undefined,
      processes: memory !== null && memory.processes > 1 ? memory.processes : undefined,
      values: {
        ...(memory === null ? {} : this.#memoryOf(memory)),
        rssIdle: this.#idleRssBytes,
        startup: this.#service.startupMs,
        // What ends in between is cut to 10 ms, and may be cut to less than it was before.
        cpuPer1k: per1k(Math.max(0, usage.cpuMs - before.usage.cpuMs)),
        ctxVoluntaryPer1k: per1k(usage.voluntarySwitches - before.usage.voluntarySwitches),
        ctxInvoluntaryPer1k: per1k(usage.involuntarySwitches - before.usage.involuntarySwitches),
        threads: usage.threads,
        fds: usage.files,
      },
    };
  }

  #memoryOf(usage: Usage): Launch["values"] {
    const connections = sharingConnections(this.#context.scenarios);
    return {
      rss: usage.rssBytes,
      rssPeak: usage.peakBytes,
      // The generator has closed its connections by now: the peak is from when all were open.
      ...(connections === null
        ? {}
        : { rssPerConnection: (usage.peakBytes - this.#idleRssBytes) / connections }),
      anon: usage.anonBytes,
      pss: usage.pssBytes,
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
      const requests = Math.max(1, this.#requests - this.#counted().requests);
      values.allocPerRequest = (now.allocatedBytes - before.allocatedBytes) / requests;
    }
    return values;
  }

  #counters(): Counters {
    return { usage: readUsage(this.#service.pid), requests: this.#requests };
  }

  #counted() {
    if (this.#before === null) throw new Error("read before beginCounting");
    return this.#before;
  }

  async #scrape(): Promise<RuntimeMetrics> {
    const { prometheus } = this.#context.targets[this.arm]?.recipe ?? {};
    if (prometheus == null) return {};
    const page = await fetchText(this.#service, prometheus, this.#context.abort);
    return page === null ? {} : parsePrometheus(page);
  }

  /** `when`: where in the run, in words. Null while the service runs. */
  async #crash(scenario: Scenario, when: string): Promise<RoundFailure | null> {
    const exit = await this.#service.settledExit();
    if (exit === null) return null;
    return this.#failure("crash", scenario, `${this.#place.name} ${describeExit(exit)} ${when}`);
  }

  /** Or the generator failed for another reason. */
  #tooSlow(
    scenario: Scenario,
    load: LoadFailed,
    { requests, when, fewer }: { requests: number; when: string; fewer?: string },
  ): RoundFailure {
    const { tookMs, detail } = load;
    if (tookMs === undefined) return this.#generatorFailure(scenario, load, when);
    const seconds = Math.round(tookMs / 1000);
    const served = `fewer than ${Number((requests / seconds).toPrecision(2))}/s`;
    const or = fewer === undefined ? "" : ` or \`${fewer}\``;
    const text = `${this.#place.name} did not answer ${requests} requests within ${seconds} s (${served}) ${when}: lower \`rate\` (${scenario.rateRps}/s)${or}`;
    return this.#failure("slow", scenario, text, detail);
  }

  #generatorFailure(scenario: Scenario, load: { text: string; detail: string }, when: string) {
    return this.#failure("generator", scenario, `${load.text} ${when}`, load.detail);
  }

  #failure(
    kind: RoundFailure["kind"],
    scenario: Scenario | null,
    text: string,
    detail = this.#service.tail(),
  ): RoundFailure {
    return { kind, arm: this.arm, scenario: scenario?.id ?? null, text, detail };
  }
}
