// When this process could not run: on a busy machine, what was answered meanwhile is only read afterwards.
const TICK_MS = 5;
/** A tick that comes this late was held up; below it lies what timers do by themselves. */
const LATE_MS = 20;

/** Watches until it is disposed of. Instants are those of `performance.now()`. */
export class StallWatch {
  readonly #stalls: { fromMs: number; toMs: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let dueMs = performance.now() + TICK_MS;
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      if (nowMs - dueMs > LATE_MS) this.#stalls.push({ fromMs: dueMs, toMs: nowMs });
      dueMs = nowMs + TICK_MS;
    }, TICK_MS);
  }

  /**
   * Milliseconds between two instants in which this process was held up, at least 0. Ask once the event loop has been free again:
   * after a stall it may serve sockets before the tick that sees it.
   */
  within(fromMs: number, toMs: number): number {
    return this.#stalls.reduce(
      (sum, stall) =>
        sum + Math.max(0, Math.min(toMs, stall.toMs) - Math.max(fromMs, stall.fromMs)),
      0,
    );
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
