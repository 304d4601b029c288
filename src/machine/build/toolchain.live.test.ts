import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeTestFolder, type TestFolder } from "../../../test/support/build.ts";
import { isRunning, leaveDaemon, until } from "../../../test/support/processes.ts";
import { janitor } from "../sys/janitor.ts";
import { readToolchain, type Toolchain } from "./toolchain.ts";

/** Programs that say who they are; they need /bin for their interpreter only. */
function addTool(folder: TestFolder, name: string, script: string): void {
  folder.write(`bin/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function read(
  folder: TestFolder,
  argv: string[],
  env: Record<string, string> = {},
): Promise<Toolchain> {
  return readToolchain(argv, {
    wanted: "the build of api (candidate, 1a2b3c4)",
    cwd: folder.path,
    env: { PATH: join(folder.path, "bin"), HOME: folder.path, ...env },
    abort: new AbortController().signal,
  });
}

test("cargo: both versions, and the machine's settings in the identity", async () => {
  using folder = makeTestFolder();
  addTool(folder, "cargo", 'echo "cargo 1.95.0"');
  addTool(folder, "rustc", 'echo "rustc 1.95.0"; echo more');
  const before = await read(folder, ["cargo", "build"]);
  expect(before).toMatchObject({ version: "cargo 1.95.0, rustc 1.95.0", opaque: false });
  folder.write(".cargo/config.toml", "[build]\nrustflags = ['-Ctarget-cpu=native']");
  const after = await read(folder, ["cargo", "build"]);
  expect(after.version).toBe(before.version);
  expect(after.identity).not.toBe(before.identity);
});

test("go: the version, and its settings in the identity", async () => {
  using folder = makeTestFolder();
  addTool(
    folder,
    "go",
    'if [ "$1" = version ]; then echo "go version go1.26"; else echo "$GOFLAGS"; fi',
  );
  const plain = await read(folder, ["go", "build"]);
  const flagged = await read(folder, ["go", "build"], { GOFLAGS: "-trimpath" });
  expect(plain.version).toBe("go version go1.26");
  expect(flagged.version).toBe(plain.version);
  expect(flagged.identity).not.toBe(plain.identity);
});

test("npm brings node's version", async () => {
  using folder = makeTestFolder();
  addTool(folder, "npm", "echo 11.0.0");
  addTool(folder, "node", "echo v24.1.0");
  expect((await read(folder, ["npm", "ci"])).version).toBe("node v24.1.0, npm 11.0.0");
});

test("any other program is asked for its version; one that has none is not a failure", async () => {
  using folder = makeTestFolder();
  addTool(folder, "zig", 'echo "0.15"');
  addTool(folder, "mute", "exit 2");
  expect(await read(folder, ["zig", "build"])).toMatchObject({ version: "zig 0.15", opaque: true });
  expect(await read(folder, ["mute"])).toMatchObject({
    version: "mute of unknown version",
    opaque: true,
  });
});

test("a daemon that a tool leaves when it is asked for its version ends with us", async () => {
  using folder = makeTestFolder();
  folder.write("daemon.cjs", leaveDaemon());
  addTool(folder, "yarn", `"${process.execPath}" daemon.cjs > pid; echo 4.0.0`);
  addTool(folder, "node", "echo v24.1.0");
  await read(folder, ["yarn", "build"]);
  const pid = Number(readFileSync(join(folder.path, "pid"), "utf8"));
  expect(isRunning(pid)).toBe(true);
  janitor.cleanUp();
  expect(await until(() => !isRunning(pid))).toBe(true);
});

test("a script of the repository's is not run to ask for its version", async () => {
  using folder = makeTestFolder();
  folder.write("build.sh", "#!/bin/sh\necho > ran\n", { mode: 0o755 });
  expect(await read(folder, ["./build.sh"])).toMatchObject({ version: "build.sh", opaque: true });
  expect(existsSync(join(folder.path, "ran"))).toBe(false);
});

test("nothing to build needs no tool", async () => {
  using folder = makeTestFolder();
  expect(await read(folder, [])).toEqual({
    version: "none",
    identity: "none",
    opaque: false,
  });
});

test("a missing program is named, with where it comes from", async () => {
  using folder = makeTestFolder();
  await expect(read(folder, ["cargo", "build"])).rejects.toMatchObject({
    message:
      "the build of api (candidate, 1a2b3c4) could not be started: there is no cargo on PATH",
    next: "Install Rust from https://rustup.rs.",
  });
  await expect(read(folder, ["zig", "build"])).rejects.toMatchObject({
    next: "Install zig, or correct the build command.",
  });
});
