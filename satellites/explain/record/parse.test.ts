// What the kernel, strace and Go's linker write → values.
import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Own } from "../model.ts";
import { parseBuildInfo } from "./parse-build-info.ts";
import { parseSmaps } from "./parse-smaps.ts";
import { parseStrace } from "./parse-strace.ts";
import { parseSyscall } from "./parse-syscall.ts";
import { checkPerf, type Permission, whyRefused } from "./permission.ts";
import { placedFrame } from "./program.ts";
import { nameless } from "./session.ts";

test("resident memory is told by kind, whatever the program is called", () => {
  const mapping = (range: string, permissions: string, path: string, kilobytes: number): string =>
    `${range} ${permissions} 00000000 08:01 131 ${path}\nSize: 999 kB\nRss:  ${kilobytes} kB\nPss: 5 kB\nVmFlags: rd ex mr`;
  const text = [
    mapping("00400000-00c00000", "r-xp", "   /run/a b/api", 100),
    mapping("00c00000-01400000", "r--p", "   /run/a b/api", 20),
    mapping("01400000-01500000", "rw-p", "   /run/a b/api", 3),
    mapping("01500000-01600000", "rw-p", "", 40),
    mapping("c000000000-c000400000", "rw-p", "[anon: Go: heap]", 500),
    mapping("55d0a000-55d0b000", "rw-p", "[heap]", 7),
    mapping("7f00a000-7f00b000", "r-xp", "   /usr/lib/libc.so.6", 9),
    mapping("7f00c000-7f00d000", "r--s", "   /usr/share/zoneinfo", 11),
    mapping("7ffd0000-7ffd1000", "rw-p", "[stack]", 13),
    mapping("7ffd2000-7ffd3000", "r-xp", "[vdso]", 4),
  ].join("\n");
  expect(Object.fromEntries(parseSmaps(text, "/run/a b/api"))).toEqual({
    "program-text": 120 * 1024,
    "program-data": 3 * 1024,
    anonymous: 540 * 1024,
    heap: 7 * 1024,
    libraries: 9 * 1024,
    stack: 13 * 1024,
    other: 15 * 1024,
  });
});

test.each([
  ["running\n", "x64", null],
  // epoll_wait with 5 ms, with 30 ms, for ever, and not at all.
  ["232 0x4 0x7ffd 0x400 0x5 0x0 0x0 0x7ffe 0x7f10\n", "x64", "timer"],
  ["232 0x4 0x7ffd 0x400 0x1e 0x0 0x0 0x7ffe 0x7f10\n", "x64", null],
  ["281 0x4 0x7ffd 0x400 0xffffffffffffffff 0x0 0x8 0x7ffe 0x7f10\n", "x64", null],
  ["281 0x4 0x7ffd 0x400 0xffffffff 0x0 0x8 0x7ffe 0x7f10\n", "x64", null],
  ["281 0x4 0x7ffd 0x400 0x0 0x0 0x8 0x7ffe 0x7f10\n", "x64", null],
  ["7 0x7ffd 0x1 0xa 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", "timer"],
  ["230 0x0 0x0 0x7ffd 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", "sleep"],
  ["202 0x55 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", "lock"],
  ["75 0x9 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", "disk"],
  // A number means another call elsewhere: 98 is getrusage on x86.
  ["98 0x55 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", null],
  ["98 0x55 0x80 0x0 0x0 0x0 0x0 0x7ffe 0x7f10\n", "arm64", "lock"],
  ["22 0x4 0x7ffd 0x400 0x14 0x0 0x8 0x7ffe 0x7f10\n", "arm64", "timer"],
  ["-1 0x7ffe 0x7f10\n", "x64", null],
  ["0 0x7 0x7ffd 0x400 0x0 0x0 0x0 0x7ffe 0x7f10\n", "x64", null],
  ["232 0x4", "riscv64", null],
  ["", "x64", null],
])("%j of %s: %s", (line, architecture, wait) => {
  expect(parseSyscall(line, architecture)).toBe(wait);
});

/** strace 6.1. */
const COUNTED = `    calls syscall
--------- ----------------
     1012 epoll_pwait
      504 write
        2 pread64
--------- ----------------
     1518 total
`;

test("system calls are counted by name", () => {
  expect(parseStrace(COUNTED)).toEqual({ epoll_pwait: 1012, write: 504, pread64: 2 });
  expect(parseStrace("")).toEqual({});
});

/** As Go's linker writes it: a list of modules between two marks, somewhere behind what tells of Go. */
function built(list: string): Buffer {
  const begin = Buffer.from("3077af0c9274080241e1c107e6d618e6", "hex");
  const end = Buffer.from("f932433186182072008242104116d8f2", "hex");
  const magic = Buffer.from("\x7fELF…\xff Go buildinf:\x08\x02", "latin1");
  return Buffer.concat([magic, Buffer.from("go1.26.1"), begin, Buffer.from(list), end]);
}

test("a Go program names its own module, and those that a folder replaces", () => {
  const list = [
    "path\texample.org/shop/cmd/api",
    "mod\texample.org/shop\t(devel)\t",
    "dep\tgithub.com/gin-gonic/gin\tv1.10.0\th1:abc=",
    "dep\texample.org/money\tv0.0.0\n=>\t../money\t(devel)\t",
    "dep\tgithub.com/a/b\tv1.0.0\n=>\tgithub.com/fork/b\tv1.0.1\th1:def=",
    "build\t-trimpath=true",
  ].join("\n");
  expect(parseBuildInfo(built(list))).toEqual(["example.org/shop", "example.org/money"]);
  expect(parseBuildInfo(Buffer.from("\x7fELF and nothing of Go"))).toBeNull();
  expect(parseBuildInfo(built("").subarray(0, 24))).toEqual([]);
  expect(parseBuildInfo(built(list).subarray(0, 60))).toEqual([]);
});

test("a function of a script is called alike in both arms, with its file in the repository", () => {
  const frame = { name: "", module: "perf-7.map", file: null, line: null };
  const placed = (name: string) => placedFrame({ ...frame, name }, "/tmp/run-1/api", "/repo/api");
  expect(placed("JS:*digest file:///tmp/run-1/api/lib/hash.mjs:12:3")).toMatchObject({
    ...{ name: "hash.mjs:digest", file: "/repo/api/lib/hash.mjs", line: 12 },
  });
  expect(placed("JS:~ /tmp/run-1/api/a b.js:7:1").name).toBe("a b.js:(anonymous)");
  // Compiled for one context.
  expect(placed("JS:*' file:///tmp/run-1/api/a.mjs:7:1").name).toBe("a.mjs:(anonymous)");
  expect(placed("JS:+'digest file:///tmp/run-1/api/a.mjs:7:1").name).toBe("a.mjs:digest");
  expect(placed("JS:^emit node:events:507:44")).toMatchObject({ file: "node:events", line: 507 });
  expect(placed("main.echo")).toEqual({ ...frame, name: "main.echo" });
});

const SAID = "Error:\nAccess to performance monitoring and observability operations is limited.";

test.each([
  [{ code: 127 }, {}, "perf is not installed", /sudo apt-get install linux-/],
  [{}, { paranoid: 4 }, "perf_event_paranoid is 4", "perf_event_paranoid=2"],
  // Whoever has the capability is refused by something else.
  [
    {},
    { paranoid: 4, isCapable: true },
    "perf record fails: Error: Access to",
    /sudo apt-get install linux-/,
  ],
  [{}, { isFiltered: true }, "seccomp", "--cap-add PERFMON"],
  [{ said: "" }, {}, "perf record fails: without a word", /sudo apt-get install linux-/],
  [{}, { paranoid: Number.NaN }, "perf record fails", /sudo apt-get install linux-/],
])("%j where %j: %s", (ended, permission, why, next) => {
  const refused = whyRefused(
    { code: 255, said: SAID, ...ended },
    { paranoid: 2, isCapable: false, isFiltered: false, ...permission },
  );
  expect(refused.why).toContain(why);
  expect(refused.next).toMatch(next);
});

test("doctor says what profiles may be taken before any is tried", () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "tailgate-perf-"));
  writeFileSync(join(folder.path, "perf"), "");
  const check = (changes: Partial<Permission>, path = `/nowhere:${folder.path}`): string => {
    const permission = { paranoid: 2, isCapable: false, isFiltered: false, ...changes };
    const { level, text, fix } = checkPerf(path, permission);
    return `${level}: ${text}${fix === null ? "" : ` [${fix}]`}`;
  };
  expect(check({ paranoid: 1 })).toBe("good: perf may record services and the kernel");
  expect(check({ paranoid: 4, isCapable: true, isFiltered: true })).toMatch(/^good/);
  expect(check({})).toBe(
    "note: tailgate explain sees no CPU time of the kernel (perf_event_paranoid is 2) [sudo sysctl kernel.perf_event_paranoid=1]",
  );
  expect(check({ paranoid: 3 })).toBe(
    "note: tailgate explain can name no function: the kernel permits no profiles (perf_event_paranoid is 3) [sudo sysctl kernel.perf_event_paranoid=2]",
  );
  expect(check({ isFiltered: true })).toBe(
    "note: tailgate explain can name no function: the container refuses perf_event_open, by its seccomp profile; docker run --cap-add PERFMON …",
  );
  expect(check({}, "/nowhere")).toMatch(
    /^note: tailgate explain can name no function: perf is not installed \[sudo apt-get install linux-.*\]$/,
  );
});

test("a program without symbols is told how to be built", () => {
  const stackOf = (name: string, weight: number) => ({
    frames: [
      { name: "[kernel] write", module: "[kernel]", file: null, line: null },
      { name, module: "api", file: null, line: null },
    ],
    weight,
  });
  const check = (unnamed: number, kind: Own["kind"]): string[] => {
    const own = { kind, modules: [], crates: [], roots: [] };
    return nameless(
      [{ stacks: [stackOf("[api]", unnamed), stackOf("main.echo", 95)] }],
      own,
      "api",
    );
  };
  expect(check(5, "rust")).toEqual([]);
  expect(check(95, "rust")).toEqual([
    'api has no symbols, so 50 % of the samples have no name of its functions: build both versions with strip = "none" and debug = "line-tables-only" in [profile.release]',
  ]);
  expect(check(95, "go")[0]).toMatch(/build both versions without -s in -ldflags$/);
  expect(check(95, "path")[0]).toMatch(/build both versions with -g1, and not stripped$/);
  expect(nameless([{ stacks: [] }], { kind: "go", modules: [] }, "api")).toEqual([]);
});
