// What of two builds is found in their artifacts, and what is taken for a cause.
import { expect, test } from "vitest";
import { compareBuilds, type OnceBuilt } from "./compare-builds.ts";

const FIRST: OnceBuilt = {
  bytes: new Uint8Array(),
  root: "/cache/tailgate-aaaaaa/build/tailgate-bbbbbb",
  commit: "0123456789abcdef0123456789abcdef01234567",
  beganMs: Date.UTC(2026, 10, 23, 12, 59, 50),
  endedMs: Date.UTC(2026, 10, 23, 12, 59, 58),
};
const SECOND: OnceBuilt = {
  bytes: new Uint8Array(),
  root: "/cache/tailgate-cccccc/build/tailgate-dddddd",
  commit: "89abcdef0123456789abcdef0123456789abcdef",
  beganMs: Date.UTC(2026, 10, 23, 13, 0, 1),
  endedMs: Date.UTC(2026, 10, 23, 13, 0, 9),
};

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

function check(texts: readonly [string, string], causes: string[]): void {
  const [a, b] = texts;
  const found = compareBuilds(
    { ...FIRST, bytes: bytesOf(`\x7f\0usual text\0${a}\0`) },
    { ...SECOND, bytes: bytesOf(`\x7f\0usual text\0${b}\0`) },
  );
  expect(found.differences.map(({ cause }) => cause)).toEqual(causes);
  expect(found.isEqual).toBe(causes.length === 0);
}

const CASES: [string, [string, string], string[]][] = [
  ["nothing", ["same text", "same text"], []],
  ["a whole commit", [`rev ${FIRST.commit}`, `rev ${SECOND.commit}`], ["commit"]],
  ["a short commit", ["v1.2-3-g0123456", "v1.2-3-g89abcde"], ["commit"]],
  ["one build's commit alone", [`rev ${FIRST.commit}`, "rev unknown"], ["unknown"]],
  ["the folder", [`${FIRST.root}/src/main.go`, `${SECOND.root}/src/main.go`], ["path"]],
  ["seconds since 1970", ["at 1795438795", "at 1795438805"], ["time"]],
  ["milliseconds since 1970", ["at 1795438795123", "at 1795438805999"], ["time"]],
  ["ISO 8601", ["2026-11-23T12:59:55Z", "2026-11-23T13:00:05Z"], ["time"]],
  ["another time zone of whole hours", ["Nov 23 2026 04:59:55", "Nov 23 2026 05:00:05"], ["time"]],
  ["digits without a colon", ["20261123125955", "20261123130005"], ["time"]],
  ["times of another hour's minute", ["12:01:55 noon", "13:40:05 noon"], ["unknown"]],
  ["a number that is no time", ["at 1234567890", "at 1234567891"], ["unknown"]],
  [
    "two at once",
    [`${FIRST.commit} ${FIRST.root}`, `${SECOND.commit} ${SECOND.root}`],
    ["commit", "path"],
  ],
  ["chance", ["random 8134", "random 9943"], ["unknown"]],
];
test.each(CASES)("%s", (_, texts, causes) => check(texts, causes));

test("an archive is known by its first bytes", () => {
  const archive = (time: string): Uint8Array => bytesOf(`PK\x03\x04${time}`);
  const found = compareBuilds(
    { ...FIRST, bytes: archive("\x01\x02") },
    { ...SECOND, bytes: archive("\x03\x04") },
  );
  expect(found).toMatchObject({ tool: "other", differences: [{ cause: "archive" }] });
});

/** An executable of these sections, as `elf.ts` reads it. */
function elf(sections: Readonly<Record<string, string>>): Uint8Array {
  const names = ["", ...Object.keys(sections), ".shstrtab"];
  const nameTable = `${names.join("\0")}\0`;
  const contents = ["", ...Object.values(sections), nameTable];
  const dataBytes = contents.join("").length;
  const bytes = new Uint8Array(64 + dataBytes + 64 * names.length);
  const view = new DataView(bytes.buffer);
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1]);
  view.setBigUint64(40, BigInt(64 + dataBytes), true);
  view.setUint16(60, names.length, true);
  view.setUint16(62, names.length - 1, true);
  let at = 64;
  let nameAt = 0;
  for (const [i, content] of contents.entries()) {
    const header = 64 + dataBytes + 64 * i;
    bytes.set(bytesOf(content), at);
    view.setUint32(header, nameAt, true);
    view.setUint32(header + 4, 1, true);
    view.setBigUint64(header + 24, BigInt(at), true);
    view.setBigUint64(header + 32, BigInt(content.length), true);
    at += content.length;
    nameAt += (names[i] ?? "").length + 1;
  }
  return bytes;
}

const EXECUTABLES: [string, Record<string, string>, Record<string, string>, object][] = [
  [
    "an identifier alone",
    { ".text": "code", ".note.gnu.build-id": "aaaa" },
    { ".text": "code", ".note.gnu.build-id": "bbbb" },
    { differences: [{ cause: "build-id" }], sections: [".note.gnu.build-id"] },
  ],
  [
    "a folder in debug information alone",
    { ".text": "code", ".debug_line": FIRST.root },
    { ".text": "code", ".debug_line": SECOND.root },
    { differences: [{ cause: "debug-path" }], sections: [".debug_line"] },
  ],
  [
    "a folder in data too",
    { ".rodata": FIRST.root, ".debug_line": FIRST.root },
    { ".rodata": SECOND.root, ".debug_line": SECOND.root },
    { differences: [{ cause: "path" }], sections: [".rodata", ".debug_line"] },
  ],
  [
    "Go's",
    { ".go.buildinfo": "", ".text": "one" },
    { ".go.buildinfo": "", ".text": "two" },
    { tool: "go", differences: [{ cause: "unknown" }] },
  ],
  ["Rust's", { ".rodata": "/rustc/ab" }, { ".rodata": "/rustc/cd" }, { tool: "rust" }],
];
test.each(EXECUTABLES)("an executable that differs by %s", (_, a, b, wanted) => {
  expect(compareBuilds({ ...FIRST, bytes: elf(a) }, { ...SECOND, bytes: elf(b) })).toMatchObject(
    wanted,
  );
});

test("a damaged executable is a file like any other", () => {
  const cut = elf({ ".text": "code" }).subarray(0, 80);
  const other = Uint8Array.from(cut, (byte, i) => (i === 70 ? byte + 1 : byte));
  const found = compareBuilds({ ...FIRST, bytes: cut }, { ...SECOND, bytes: other });
  expect(found).toMatchObject({ tool: "other", isEqual: false, sections: [] });
});
