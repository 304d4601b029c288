// Progress on standard error: one line that is rewritten on a terminal, plain lines elsewhere, groups in GitHub Actions.
import type { Progress } from "../app/progress.ts";

export interface ProgressTarget {
  write(text: string): void;
  columns: number;
  style: "terminal" | "plain" | "github";
  nowMs(): number;
}

/** Between two plain status lines, so that a log of an hour stays readable. */
const PLAIN_STATUS_EVERY_MS = 15_000;

export class LineProgress implements Progress {
  readonly #target: ProgressTarget;
  #statusShown = false;
  #groupOpen = false;
  #lastPlainMs = Number.NEGATIVE_INFINITY;

  constructor(target: ProgressTarget) {
    this.#target = target;
  }

  stage(name: string): void {
    this.#clear();
    if (this.#target.style === "github") {
      this.end();
      this.#target.write(`::group::${name}\n`);
      this.#groupOpen = true;
    } else {
      this.#target.write(`${name}\n`);
    }
  }

  note(line: string): void {
    this.#clear();
    this.#target.write(`  ${line}\n`);
  }

  status(line: string): void {
    if (this.#target.style === "terminal") {
      this.#clear();
      this.#target.write(`  ${line}`.slice(0, Math.max(20, this.#target.columns - 1)));
      this.#statusShown = true;
      return;
    }
    const now = this.#target.nowMs();
    if (now - this.#lastPlainMs < PLAIN_STATUS_EVERY_MS) return;
    this.#lastPlainMs = now;
    this.#target.write(`  ${line}\n`);
  }

  /** Leaves a clean line behind. */
  end(): void {
    this.#clear();
    if (this.#groupOpen) this.#target.write("::endgroup::\n");
    this.#groupOpen = false;
  }

  #clear(): void {
    if (!this.#statusShown) return;
    this.#target.write("\r\u001b[K");
    this.#statusShown = false;
  }
}
