// What is no document is told by what it is.
import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { readReport, readSamples } from "./samples.ts";

const root = sharedFolder();

test.for([
  ["x.json.gz", gzipSync("{}"), "it is compressed: gunzip it first"],
  ["x.zip", Buffer.from("PK\x03\x04rest", "latin1"), "it is a zip archive: unzip it first"],
] as const)("a packed file is to be unpacked: %s", ([name, bytes, why]) => {
  const path = join(root, name);
  writeFileSync(path, bytes);
  expect(() => readSamples(path)).toThrow(`cannot read the samples file ${path}: ${why}`);
});

test("a file of another kind is told by its schema alone", () => {
  const path = join(root, "other.json");
  for (const [schema, read, expected] of [
    [
      "tailgate.samples.v1",
      readReport,
      'report of this version: schema: expected "tailgate.report.v1"',
    ],
    [
      "tailgate.report.v1",
      readSamples,
      'samples file of this version: schema: expected "tailgate.samples.v1"',
    ],
  ] as const) {
    writeFileSync(path, JSON.stringify({ schema, rounds: 3 }));
    const message = `${path} is not a ${expected}, found "${schema}"`;
    expect(() => read(path)).toThrow(expect.objectContaining({ message, detail: "" }));
  }
});

test("a missing file, a folder and an oversized file are user errors", () => {
  const check = (path: string, why: string): void => {
    for (const [read, what] of [
      [readSamples, "samples file"],
      [readReport, "report"],
    ] as const) {
      expect(() => read(path)).toThrow(`cannot read the ${what} ${path}: ${why}`);
    }
  };
  check(join(root, "none.json"), "there is no such file");
  check(root, "it is a folder");
  const large = join(root, "large.json");
  writeFileSync(large, "{}");
  truncateSync(large, 300 * 1024 * 1024);
  check(large, "it is larger than 256 MiB");
});
