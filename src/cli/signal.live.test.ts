// A signal ends a command that has nothing to clean up at once, whatever it is busy with.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { constants, open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../test/support/files.ts";
import { makeSamples } from "../../test/support/samples.ts";

const folder = sharedFolder();

/** `judge` of samples that come through a pipe: it is opened once the other side reads. */
async function judging(name: string) {
  const pipe = join(folder, name);
  execFileSync("mkfifo", [pipe]);
  const child = spawn(process.execPath, ["src/entry/cli.ts", "judge", pipe], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close").then(([, signal]) => ({ signal, said }));
  return { pipe, child, ended, file: await open(pipe, "w") };
}

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "judge ends by %s while it reads",
  async (signal) => {
    const { child, ended, file } = await judging(signal);
    // Read until this side is closed.
    await using _ = file;
    child.kill(signal);
    expect(await ended).toEqual({ signal, said: "" });
  },
);

test("judge ends by a signal in the middle of 400 rounds", async () => {
  const { pipe, child, ended, file } = await judging("rounds");
  await file.writeFile(JSON.stringify(makeSamples({ rounds: 400, noise: 0.3 })));
  await file.close();
  // Nobody reads it any more, and judging takes most of a second.
  const reader = (): Promise<string> =>
    open(pipe, constants.O_WRONLY | constants.O_NONBLOCK).then(
      (again) => again.close().then(() => "reads"),
      (error: NodeJS.ErrnoException) => error.code ?? "",
    );
  await expect.poll(reader, { interval: 5 }).toBe("ENXIO");
  child.kill("SIGTERM");
  expect(await ended).toEqual({ signal: "SIGTERM", said: "" });
});
