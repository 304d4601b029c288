// What bringing the load generator is given of the kernel.

export interface OhaKernel {
  version: string;
  /** `linux-x64` */
  machine: string;
  /** Absolute, and empty: `bin/oha` must be in it in the end. */
  folder: string;
  clock: { nowMs(): number };
  progress: Readonly<Record<"note" | "status", (line: string) => void>>;
  /** One request, by the way that the environment names; a UserError says why there is no answer. */
  fetch(url: string, maxBytes: number, timeoutMs: number): Promise<Uint8Array>;
  /** A program in the folder, which ends with us. `env`: beside what a build is given. */
  run(
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    onStderrLine: (line: string) => void,
  ): Promise<{ trouble: string | null; isMissing: boolean; tail: string[] }>;
}
