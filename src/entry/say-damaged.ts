// What is said where the program itself cannot be loaded.

/** Nothing else of ours is loaded that could say it. */
export function sayDamaged(error: unknown): void {
  const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
  process.stderr.write(
    `tailgate: cannot start: ${why}\n  Install Tailgate anew: its dist folder must be whole.\n`,
  );
  // sysexits.h EX_SOFTWARE: no verdict.
  process.exitCode = 70;
}
