// Standard output and error where they cannot be written: loaded before all else.

export function watchStreams(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that went away (`tailgate report … | head`) is no failure, and changes no verdict.
    if (error.code === "EPIPE") return;
    process.stderr.write(`tailgate: cannot write standard output: ${error.message}\n`);
    // Whatever the command ends with: what it was started for is not there.
    process.on("exit", () => {
      process.exitCode = 2;
    });
  });
  // Nobody is left to tell it to, and a verdict is none the less one.
  process.stderr.on("error", () => {});
}
