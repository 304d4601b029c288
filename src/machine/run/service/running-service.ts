// A service that was started: frozen and thawed while the other arm is loaded, and stopped with all
// that it started.
import { dirname } from "node:path";
import type { Values } from "../../../core/config/fill-values.ts";
import type { Recipe } from "../../../core/model/config.ts";
import type { Address, RunningTransport } from "../../../core/slice/load.ts";
import type { Listening, ProcStat } from "../../host/parse-proc.ts";
import type { Clock } from "../../sys/clock.ts";
import { janitor } from "../../sys/janitor.ts";
import { type ChildGroup, type Exit, signalGroup } from "../../sys/process.ts";
import { readListening } from "../probe/listening-ports.ts";
import { readProcessTree, readStat } from "../probe/process-tree.ts";

const STOPPED_STATES = new Set(["T", "t"]);
/**
 * A process in the middle of a system call stops when that ends; one that waits this long is stuck
 * in the kernel.
 */
const FREEZE_TIMEOUT_MS = 5000;
/** A process that is ending takes this long at most; its last lines are read meanwhile. */
const ENDING_TIMEOUT_MS = 2000;

interface ServiceFacts {
  pid: number;
  port: number;
  transport?: RunningTransport;
  /** What the recipe's `before` gave; null: it has none. */
  values: Values | null;
  /** From spawn to the first answer that says ready. */
  startupMs: number;
  stop: Recipe["stop"];
  clock: Clock;
}

export class RunningService implements Address {
  readonly pid: number;
  readonly port: number;
  readonly transport: RunningTransport | undefined;
  readonly values: Values | null;
  readonly startupMs: number;
  /** How it was told to stop, where it did not heed that and was killed; null: it did, or runs. */
  outlasted: Recipe["stop"] | null = null;
  readonly #child: ChildGroup;
  readonly #stop: Recipe["stop"];
  readonly #clock: Clock;
  /**
   * Groups that members founded for themselves (a shell with job control, a daemon): a signal to
   * ours misses them.
   */
  readonly #otherGroups = new Set<number>();

  constructor(child: ChildGroup, facts: ServiceFacts) {
    this.#child = child;
    this.pid = facts.pid;
    this.port = facts.port;
    this.transport = facts.transport;
    this.values = facts.values;
    this.startupMs = facts.startupMs;
    this.#stop = facts.stop;
    this.#clock = facts.clock;
    this.#look();
  }

  /**
   * Leaders of the groups that its processes are in at this moment, its own first: it may have
   * started workers.
   */
  processGroupIds(): readonly number[] {
    this.#look();
    return [this.pid, ...this.#otherGroups];
  }

  /** Null while it runs. */
  exit(): Exit | null {
    return this.#child.exit();
  }

  /**
   * The same once an end that has begun is over: clients see closed sockets before anybody is told
   * that the process is gone, and the blame would fall on what is asked next.
   */
  async settledExit(): Promise<Exit | null> {
    if (this.exit() === null && (readStat(this.pid)?.isEnding ?? true)) {
      await Promise.race([this.#child.exited, this.#clock.sleep(ENDING_TIMEOUT_MS)]);
    }
    return this.exit();
  }

  /** Where its processes listen over TCP. */
  listening(): Listening[] {
    return readListening(this.pid);
  }

  tail(): string {
    return this.#child.tail().join("\n");
  }

  /**
   * Stops every process of the service and returns once the kernel has stopped them all, or the
   * service is gone. What it returns did not stop in time: a process stuck in the kernel.
   */
  async freeze(): Promise<ProcStat | null> {
    const deadlineMs = this.#clock.nowMs() + FREEZE_TIMEOUT_MS;
    for (;;) {
      this.#signal("SIGSTOP");
      const running = this.#look().find(({ state }) => !STOPPED_STATES.has(state));
      if (running === undefined || this.exit() !== null) return null;
      if (this.#clock.nowMs() >= deadlineMs) return running;
      await this.#clock.sleep(1);
    }
  }

  thaw(): void {
    this.#signal("SIGCONT");
  }

  /**
   * The recipe's signal, its grace, then SIGKILL. Returns when the leader and whatever left its
   * group are gone.
   */
  async stop(): Promise<void> {
    if (this.exit() === null) {
      this.#look();
      this.#child.signal(this.#stop.signal);
      // A stopped process takes the signal when it goes on.
      this.thaw();
      const killer = setTimeout(() => {
        this.outlasted = this.#stop;
        this.#child.signal("SIGKILL");
      }, this.#stop.graceMs);
      await this.#child.exited;
      clearTimeout(killer);
    }
    this.#look();
    for (const group of this.#otherGroups) {
      signalGroup(group, "SIGKILL");
      janitor.releaseGroup(group);
    }
    this.#otherGroups.clear();
    removeSocket(this);
  }

  #signal(signal: NodeJS.Signals): void {
    this.#child.signal(signal);
    for (const group of this.#otherGroups) signalGroup(group, signal);
  }

  /**
   * Living processes of the service. A group seen for the first time is ours to end; one that is
   * empty is not any more.
   */
  #look(): readonly ProcStat[] {
    const members = readProcessTree(this.pid, this.#otherGroups);
    const groups = new Set(members.map(({ group }) => group));
    for (const group of groups) {
      if (group === this.pid || this.#otherGroups.has(group)) continue;
      this.#otherGroups.add(group);
      janitor.guardGroup(group);
    }
    for (const group of this.#otherGroups) {
      if (groups.has(group)) continue;
      this.#otherGroups.delete(group);
      janitor.releaseGroup(group);
    }
    return members;
  }
}

export function addressOf({ port, transport }: RunningService): Address {
  return { port, transport };
}

/** A socket has a folder of its own. */
export function removeSocket({ transport }: Address): void {
  const socket = transport?.socket ?? null;
  if (socket !== null) janitor.removePath(dirname(socket));
}
