// What is no document is told by what it is.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../test/support/files.ts";
import { readSamples } from "./samples.ts";

const root = sharedFolder();

test.for([
  ["x.json.gz", gzipSync("{}"), "it is compressed: gunzip it first"],
  ["x.zip", Buffer.from("PK\x03\x04rest", "latin1"), "it is a zip archive: unzip it first"],
] as const)("a packed file is to be unpacked: %s", ([name, bytes, why]) => {
  const path = join(root, name);
  writeFileSync(path, bytes);
  expect(() => readSamples(path)).toThrow(`cannot read the samples file ${path}: ${why}`);
});
