import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRunning, until } from "../../../test/support/processes.ts";
import { runCommand, spawnGroup } from "./process.ts";

const NODE = process.execPath;
const script = (text: string): string[] => [NODE, "--eval", text];

describe("runCommand", () => {
  test("gives back exactly what was printed, but for the last line break", async () => {
    const long = "x".repeat(5000);
    const result = await runCommand(
      script(`process.stdout.write("a\\n\\n${long}\\nb\\n\\n"); process.stderr.write("oops")`),
    );
    expect(result).toMatchObject({ code: 0, signal: null, startError: null, timedOut: false });
    expect(result.stdout).toBe(`a\n\n${long}\nb\n`);
    expect(result.stderr).toBe("oops");
  });

  test("loses nothing of a large output that is still in the pipe when the program ends", async () => {
    const result = await runCommand(["head", "--bytes=3000000", "/dev/zero"]);
    expect(result.stdout.length).toBe(3_000_000);
  });

  test("joins characters that are split between two reads", async () => {
    const result = await runCommand(
      script(
        `process.stdout.write(Buffer.from([0xc3])); setTimeout(() => process.stdout.write(Buffer.from([0xa9])), 50)`,
      ),
    );
    expect(result.stdout).toBe("é");
  });

  test("keeps the last 40 lines of both streams, each cut at 2000 characters", async () => {
    const result = await runCommand(
      script(`for (let i = 1; i <= 100; i++) console.error(i); console.log("y".repeat(9000))`),
    );
    expect(result.tail).toHaveLength(40);
    expect(result.tail).toContain("100");
    expect(result.tail).not.toContain("60");
    expect(Math.max(...result.tail.map((line) => line.length))).toBe(2000);
  });

  test("cuts an endless line without keeping it, and goes on after it", async () => {
    const lines: string[] = [];
    const child = spawnGroup(
      script(
        `for (let i = 0; i < 200; i++) process.stdout.write("z".repeat(10000)); console.log("\\nend")`,
      ),
      { onStdoutLine: (line) => lines.push(line) },
    );
    await child.exited;
    expect(lines.map((line) => line.length)).toEqual([2000, 3]);
    expect(lines.at(-1)).toBe("end");
  });

  test("reports a program that is not there", async () => {
    const result = await runCommand(["tailgate-has-no-such-program"]);
    expect(result.startError?.code).toBe("ENOENT");
    expect(result.code).toBeNull();
  });

  const UNSTARTABLE: [string, string[], string | undefined][] = [
    ["an empty name", [""], undefined],
    ["a working folder that is a file", [NODE, "--version"], NODE],
    ["an argument that is too long", [NODE, "a".repeat(3_000_000)], undefined],
  ];
  test.each(UNSTARTABLE)("never rejects: %s", async (_, argv, cwd) => {
    const result = await runCommand(argv, cwd === undefined ? {} : { cwd });
    expect(result.startError).not.toBeNull();
    expect(result.code).toBeNull();
  });

  test("kills what exceeds its time", async () => {
    const result = await runCommand(script("setInterval(() => {}, 1000)"), { timeoutMs: 200 });
    expect(result).toMatchObject({ timedOut: true, code: null, signal: "SIGKILL" });
  });

  test("kills on abort, also when aborted before", async () => {
    const controller = new AbortController();
    const running = runCommand(script("setInterval(() => {}, 1000)"), {
      abort: controller.signal,
    });
    setTimeout(() => controller.abort(), 100);
    expect((await running).signal).toBe("SIGKILL");
    const late = await runCommand(script("setInterval(() => {}, 1000)"), {
      abort: AbortSignal.abort(),
    });
    expect(late.signal).toBe("SIGKILL");
  });
});

describe("spawnGroup", () => {
  test("takes grandchildren along when the leader ends, and does not wait for their pipe", async () => {
    let pid = 0;
    const child = spawnGroup(
      script(
        `const c = require("node:child_process").spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); console.log(c.pid); setTimeout(() => process.exit(3), 100)`,
      ),
      { onStdoutLine: (line) => (pid = Number(line)) },
    );
    expect(await child.exited).toMatchObject({ code: 3 });
    expect(pid).toBeGreaterThan(1);
    expect(await until(() => !isRunning(pid))).toBe(true);
  });

  test("does not wait for a process that left the group and holds the pipe", async () => {
    let pid = 0;
    const child = spawnGroup(
      script(
        `const c = require("node:child_process").spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true }); console.log(c.pid); setTimeout(() => process.exit(0), 100)`,
      ),
      { onStdoutLine: (line) => (pid = Number(line)) },
    );
    try {
      expect(await child.exited).toMatchObject({ code: 0 });
      expect(isRunning(pid)).toBe(true);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  test("signals the whole group, stopped members included", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tailgate-test-"));
    const mark = join(folder, "mark");
    const child = spawnGroup(
      script(
        `process.on("SIGTERM", () => { require("node:fs").writeFileSync(${JSON.stringify(mark)}, ""); process.exit(7) }); console.log("ready"); setInterval(() => {}, 1000)`,
      ),
    );
    try {
      await until(() => child.tail().includes("ready"));
      child.signal("SIGSTOP");
      child.signal("SIGTERM");
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(child.exit()).toBeNull();
      child.signal("SIGCONT");
      expect(await child.exited).toMatchObject({ code: 7 });
      expect(existsSync(mark)).toBe(true);
      child.signal("SIGTERM");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("pins to CPUs without a process in between", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tailgate-test-"));
    const file = join(folder, "show.cjs");
    writeFileSync(
      file,
      `console.log(process.pid, /Cpus_allowed_list:\\s*(\\S+)/.exec(require("node:fs").readFileSync("/proc/self/status", "utf8"))[1])`,
    );
    const child = spawnGroup([NODE, file], { cpus: [0] });
    await child.exited;
    expect(child.tail()).toEqual([`${child.pid} 0`]);
    rmSync(folder, { recursive: true });
  });
});
