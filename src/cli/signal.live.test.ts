// A signal ends a command that has nothing to clean up at once, whatever it is busy with.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../test/support/files.ts";

const folder = sharedFolder();

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "judge ends by %s while it reads",
  async (signal) => {
    const pipe = join(folder, signal);
    execFileSync("mkfifo", [pipe]);
    const child = spawn(process.execPath, ["src/cli/main.ts", "judge", pipe], { stdio: "ignore" });
    const ended = once(child, "close");
    // Opened once the other side reads, which it does until this side is closed.
    await using _ = await open(pipe, "w");
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
  },
);
