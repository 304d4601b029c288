// Packages as a release makes them, of a bundle of this source and a load generator of two lines.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { OhaRelease } from "../../satellites/oha/released.ts";
import { MACHINES } from "../../scripts/packages/manifests.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
const PROGRAM = gzipSync("#!/bin/sh\necho oha 1.16.0\n");

export interface Sources {
  root: string;
  dist: string;
  oha: string;
  released: OhaRelease;
}

/** Writes them below `folder`. */
export function makeSources(folder: string): Sources {
  const dist = join(folder, "dist");
  execFileSync(process.execPath, [join(ROOT, "scripts/build.ts"), "--out", dist]);
  const oha = join(folder, "oha");
  mkdirSync(oha);
  for (const machine of MACHINES) {
    writeFileSync(join(oha, `oha-${machine}.gz`), PROGRAM);
    writeFileSync(join(oha, `oha-${machine}.licences.txt`), "MIT\n");
  }
  const file = { sha256: hash("sha256", PROGRAM), bytes: PROGRAM.length };
  const files = Object.fromEntries(MACHINES.map((machine) => [machine, file]));
  return { root: ROOT, dist, oha, released: { version: "1.16.0", address: "none", files } };
}

/** As npm lays packages out. */
export function layOut(packed: string, folder: string): void {
  for (const name of ["tailgate", `tailgate-oha-${process.platform}-${process.arch}`])
    cpSync(join(packed, name), join(folder, "node_modules", name), { recursive: true });
}
