import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { installOha as bringOha } from "../../../satellites/oha/install.ts";
import { makeTestFolder, type TestFolder } from "../../../test/support/build.ts";
import { failureOf } from "../../../test/support/build-project.ts";
import { isRunning, leaveDaemon, until } from "../../../test/support/processes.ts";
import { systemClock } from "../sys/clock.ts";
import { janitor } from "../sys/janitor.ts";
import { ensureOha, findOha, installOha, type OhaPorts, refusalOf } from "./oha-tool.ts";

const INSTALLED = "cache/tools/oha-1.16.0/bin/oha";

function addOha(folder: TestFolder, path: string, output: string): void {
  folder.write(path, `#!/bin/sh\necho '${output}'\n`, { mode: 0o755 });
}

interface TestPorts extends OhaPorts {
  notes: string[];
  statuses: string[];
}

/**
 * PATH is the folder's bin; what scripts need beside it stands in /usr/bin and /bin, where no cargo
 * is.
 */
function makePorts(folder: TestFolder, abort = new AbortController().signal): TestPorts {
  const notes: string[] = [];
  const statuses: string[] = [];
  return {
    cache: join(folder.path, "cache"),
    env: { PATH: `${folder.path}/bin:relative:`, HOME: folder.path, RUSTFLAGS: "-C x" },
    clock: systemClock,
    abort,
    progress: { note: (line) => notes.push(line), status: (line) => statuses.push(line) },
    satellites: { installOha: (kernel) => bringOha(kernel, null) },
    notes,
    statuses,
  };
}

describe("findOha", () => {
  test("finds none", async () => {
    using folder = makeTestFolder();
    expect(await findOha(makePorts(folder))).toEqual({ oha: null, refused: [] });
  });

  test("prefers the one on PATH to the one in the cache", async () => {
    using folder = makeTestFolder();
    addOha(folder, INSTALLED, "oha 1.16.0");
    expect((await findOha(makePorts(folder))).oha?.path).toBe(join(folder.path, INSTALLED));
    addOha(folder, "bin/oha", "oha 1.14.0");
    expect(await findOha(makePorts(folder))).toEqual({
      oha: { path: join(folder.path, "bin/oha"), version: "1.14.0" },
      refused: [],
    });
  });

  test("runs none from a cache that everybody may write", async () => {
    using folder = makeTestFolder();
    folder.write(INSTALLED, `#!/bin/sh\ntouch '${folder.path}/ran'\necho oha 1.16.0\n`, {
      mode: 0o755,
    });
    chmodSync(join(folder.path, "cache/tools"), 0o777);
    await expect(findOha(makePorts(folder))).rejects.toThrow("everybody may write there");
    expect(existsSync(join(folder.path, "ran"))).toBe(false);
    addOha(folder, "bin/oha", "oha 1.14.0");
    expect((await findOha(makePorts(folder))).oha?.version).toBe("1.14.0");
  });

  const UNUSABLE: [string, RegExp][] = [
    ["oha 1.13.0", /bin\/oha is not used: oha 1\.13\.0 is older than 1\.14, before which/],
    [
      "usage: something else",
      /bin\/oha is not used: it does not tell its version \(usage: something else\)/,
    ],
  ];
  test.each(UNUSABLE)("passes over '%s' and says why", async (output, reason) => {
    using folder = makeTestFolder();
    addOha(folder, "bin/oha", output);
    addOha(folder, INSTALLED, "oha 1.16.0");
    const { oha, refused } = await findOha(makePorts(folder));
    expect(oha?.version).toBe("1.16.0");
    expect(refused).toEqual([expect.stringMatching(reason)]);
  });
});

test("versions before 1.14 are refused", () => {
  const cases: [string, boolean][] = [
    ["0.9.9", true],
    ["1.4.7", true],
    ["1.13.99", true],
    ["1.14.0", false],
    ["1.100.0", false],
    ["2.0.0-beta.1", false],
  ];
  for (const [version, refused] of cases)
    expect([version, refusalOf(version) !== null]).toEqual([version, refused]);
});

/** A cargo that leaves a record of how it was called and installs an oha of two lines. */
const CARGO = `#!/bin/sh
echo "$@" > "$HOME/arguments"
echo "lto=$CARGO_PROFILE_RELEASE_LTO" >> "$HOME/arguments"
pwd >> "$HOME/arguments"
echo "    Updating index" >&2
echo "   Compiling libc v0.2.1" >&2
echo "   Compiling oha v1.16.0" >&2
while [ "$1" != --root ]; do shift; done
/bin/mkdir -p "$2/bin" "$CARGO_TARGET_DIR"
echo junk > "$CARGO_TARGET_DIR/junk"
printf '#!/bin/sh\\necho oha 1.16.0\\n' > "$2/bin/oha"
/bin/chmod 755 "$2/bin/oha"
`;

describe("installOha", () => {
  test("compiles it once, with progress, and leaves only the program", async () => {
    using folder = makeTestFolder();
    folder.write("bin/cargo", CARGO, { mode: 0o755 });
    const ports = makePorts(folder);
    const oha = await ensureOha(ports);
    expect(oha).toEqual({ path: join(folder.path, INSTALLED), version: "1.16.0" });
    expect(readdirSync(join(folder.path, "cache/tools"))).toEqual(["oha-1.16.0"]);
    expect(readdirSync(join(folder.path, "cache/tools/oha-1.16.0"))).toEqual(["bin"]);
    const [args, lto, cwd] = readFileSync(join(folder.path, "arguments"), "utf8").split("\n");
    expect(args).toMatch(/^install oha --version 1\.16\.0 --locked --root \//);
    expect(lto).toBe("lto=off");
    expect(cwd).toContain("/cache/tools/tailgate-");
    expect(ports.statuses).toEqual([
      expect.stringMatching(/^oha: 0 s, 1 crates compiled, now libc$/),
      expect.stringMatching(/^oha: 0 s, 2 crates compiled, now oha$/),
    ]);
    expect(ports.notes.at(-1)).toMatch(/^oha 1\.16\.0 compiled in \d s$/);

    folder.write("bin/cargo", "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    expect(await ensureOha(ports)).toEqual(oha);
  });

  test("replaces an installation that does not work", async () => {
    using folder = makeTestFolder();
    folder.write("bin/cargo", CARGO, { mode: 0o755 });
    addOha(folder, INSTALLED, "broken");
    const ports = makePorts(folder);
    expect((await ensureOha(ports)).version).toBe("1.16.0");
    expect(ports.notes[0]).toContain("does not tell its version");
  });

  test("without cargo says so, and what else can be done", async () => {
    using folder = makeTestFolder();
    const failure = await failureOf(installOha(makePorts(folder)));
    expect(failure.message).toContain("cargo, which installs it, is not on PATH");
    expect(failure.next).toContain("rustup.rs");
    expect(failure.next).toContain("github.com/hatoo/oha/releases");
  });

  test("that fails shows cargo's last lines and leaves nothing", async () => {
    using folder = makeTestFolder();
    folder.write("bin/cargo", "#!/bin/sh\necho 'error: no space left' >&2\nexit 101\n", {
      mode: 0o755,
    });
    const failure = await failureOf(installOha(makePorts(folder)));
    expect(failure.message).toMatch(
      /^oha 1\.16\.0 could not be installed after 0 s: cargo install exited with code 101$/,
    );
    expect(failure.detail).toBe("error: no space left");
    expect(readdirSync(join(folder.path, "cache/tools"))).toEqual([]);
  });

  test("what cargo leaves running, such as a compile server, ends with us", async () => {
    using folder = makeTestFolder();
    folder.write("daemon.cjs", leaveDaemon());
    const cargo = `#!/bin/sh\n"${process.execPath}" "$HOME/daemon.cjs" > "$HOME/pid"\nexit 1\n`;
    folder.write("bin/cargo", cargo, { mode: 0o755 });
    await failureOf(installOha(makePorts(folder)));
    const pid = Number(readFileSync(join(folder.path, "pid"), "utf8"));
    expect(isRunning(pid)).toBe(true);
    janitor.cleanUp();
    expect(await until(() => !isRunning(pid))).toBe(true);
  });

  test("that is interrupted leaves nothing", async () => {
    using folder = makeTestFolder();
    folder.write("bin/cargo", "#!/bin/sh\nexec /bin/sleep 60\n", { mode: 0o755 });
    const controller = new AbortController();
    const installing = failureOf(installOha(makePorts(folder, controller.signal)));
    setTimeout(() => controller.abort(), 100);
    expect((await installing).kind).toBe("interrupted");
    expect(readdirSync(join(folder.path, "cache/tools"))).toEqual([]);
    expect(existsSync(join(folder.path, INSTALLED))).toBe(false);
  });
});
