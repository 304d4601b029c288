import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isRunning, leaveDaemon, until } from "../../../test/support/processes.ts";
import { janitor } from "./janitor.ts";
import { MARK } from "./mark.ts";
import { describeExit, runCommand, runToEnd, spawnGroup } from "./process.ts";

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

  test("says the same of what cannot be started where all of it would end", async () => {
    for (const argv of [["tailgate-has-no-such-program"], ["/no/such/program"], ["/etc/passwd"]]) {
      const { startError } = await runCommand(argv);
      expect(startError).not.toBeNull();
      const marked = await runCommand(argv, { endsAll: "with it" });
      expect(marked.startError?.message).toBe(startError?.message);
    }
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

describe("output that is larger than memory should be", () => {
  /** As one line, and as many. */
  const HUGE = ["head -c 600000000 /dev/zero", "yes 'one line of a build' | head -c 100000000"];

  test.each(HUGE)("of %s the last lines are kept", async (prints) => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 5);
    const result = await runToEnd(["sh", "-c", `${prints}; echo; echo last; exit 3`]);
    clearInterval(watch);
    expect(result).toMatchObject({ code: 3, signal: null, timedOut: false });
    expect(result.tail.at(-1)).toBe("last");
    expect(result.tail.join("").length).toBeLessThan(40 * 2000);
    expect(most / 1024 ** 2).toBeLessThan(200);
  });

  test("of what is needed whole, no part is given for it", async () => {
    const started = performance.now();
    const result = await runCommand(["sh", "-c", `${HUGE[0]}; exec sleep 60`]);
    expect(performance.now() - started).toBeLessThan(30_000);
    expect(result).toMatchObject({ code: null, timedOut: false });
    expect(describeExit(result)).toBe("printed more than 256 MiB");
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

  const daemonOf = async (endsAll: "with it" | "with us" | undefined): Promise<number> => {
    const { stdout } = await runCommand(script(leaveDaemon()), { endsAll });
    expect(stdout).toMatch(/^\d+$/);
    return Number(stdout);
  };

  test("ends a daemon without an environment with the program that left it, or with us", async () => {
    const gone = await daemonOf("with it");
    expect(await until(() => !isRunning(gone))).toBe(true);
    const later = await daemonOf("with us");
    const never = await daemonOf(undefined);
    try {
      expect(isRunning(later)).toBe(true);
      janitor.cleanUp();
      expect(await until(() => !isRunning(later))).toBe(true);
      expect(isRunning(never)).toBe(true);
    } finally {
      process.kill(never, "SIGKILL");
    }
  });

  test("marks without a process in between, and adds nothing else to the environment", async () => {
    const show = `console.log(process.pid, Object.keys(process.env).join(" "))`;
    const child = spawnGroup(script(show), { cpus: [0], env: { A: "1" }, endsAll: "with it" });
    await child.exited;
    expect(child.tail()).toEqual([`${child.pid} A ${MARK}`]);
  });

  test("a run within a run only lowers the limit, as whoever is not root has to", async () => {
    const inner = `
      const { runCommand } = await import(${JSON.stringify(new URL("process.ts", import.meta.url).href)});
      const own = process.getBuiltinModule("node:fs").readFileSync("/proc/self/limits", "utf8");
      const { stdout } = await runCommand(["cat", "/proc/self/limits"], { endsAll: "with it" });
      for (const text of [own, stdout]) console.log(/^Max file locks +(\\d+)/m.exec(text)[1]);
    `;
    const nested = [NODE, "--input-type=module", "--eval", inner];
    const { stdout } = await runCommand(nested, { endsAll: "with it" });
    const [outer = "", own = ""] = stdout.split("\n");
    expect([outer, own].map((mark) => mark.length)).toEqual([18, 18]);
    expect(BigInt(own)).toBeLessThan(BigInt(outer));
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
