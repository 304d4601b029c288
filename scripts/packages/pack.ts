// Makes the packages that npm is given, and refuses what is not the oha that was released, or is too
// large.
import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { OhaRelease } from "../../satellites/oha/released.ts";
import { MACHINES, type Machine, mainManifest, ohaManifest, ohaPackage } from "./manifests.ts";

/** In the order in which they are published: what another needs comes first. */
export const LIST = "packages.json";

export interface Packed {
  name: string;
  version: string;
  /** Beside the list. */
  file: string;
  /** Of the file, as npm says it. */
  integrity: string;
  bytes: number;
}

const MOST_BYTES = 600_000;
const MOST_BYTES_WITH_OHA = 10_000_000;

interface Sources {
  /** Of this repository. */
  root: string;
  dist: string;
  /** `oha-<machine>.gz` and `oha-<machine>.licences.txt`, as a release of oha has them. */
  oha: string;
  released: OhaRelease | null;
}

/** Writes the packages and their list to the folder `out`. */
export function packAll({ root, dist, oha, released }: Sources, out: string): Packed[] {
  if (released === null) {
    throw new Error(
      "satellites/oha/released.ts names no release of oha: push a tag oha-<version>-<build> first, and write down its sums",
    );
  }
  const ours = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folderOf = (name: string, manifest: object): string => {
    const folder = join(out, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    return folder;
  };

  const programs = MACHINES.map((machine) => {
    const program = releasedProgram(machine, oha, released);
    const folder = folderOf(ohaPackage(machine), ohaManifest(ours, machine, released.version));
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "bin/oha"), program, { mode: 0o755 });
    cpSync(join(oha, `oha-${machine}.licences.txt`), join(folder, "licences.txt"));
    const words = `oha ${released.version} (https://github.com/hatoo/oha), built as it is by [tailgate](https://github.com/tailgate/tailgate), which needs it.\n`;
    writeFileSync(join(folder, "README.md"), words);
    return pack(folder, out);
  });
  const folder = folderOf(ours.name, mainManifest(ours));
  cpSync(dist, join(folder, "dist"), { recursive: true });
  for (const file of ["README.md", "LICENSE"]) cpSync(join(root, file), join(folder, file));
  const main = pack(folder, out);

  if (main.bytes > MOST_BYTES) throw new Error(tooLarge(main.name, main.bytes, MOST_BYTES));
  for (const { name, bytes } of programs) {
    const both = main.bytes + bytes;
    if (both > MOST_BYTES_WITH_OHA)
      throw new Error(tooLarge(`${main.name} with ${name}`, both, MOST_BYTES_WITH_OHA));
  }
  const packed = [...programs, main];
  writeFileSync(join(out, LIST), `${JSON.stringify(packed, null, 2)}\n`);
  return packed;
}

/** Unpacked, once it is known to be what the bundle would download. */
function releasedProgram(machine: Machine, folder: string, { files }: OhaRelease): Buffer {
  const name = `oha-${machine}.gz`;
  const known = files[machine];
  if (known === undefined) throw new Error(`satellites/oha/released.ts has no sum of ${name}`);
  const bytes = readFileSync(join(folder, name));
  const sha256 = hash("sha256", bytes);
  if (sha256 !== known.sha256 || bytes.length !== known.bytes) {
    throw new Error(
      `${join(folder, name)} has the sha256 ${sha256} and ${bytes.length} bytes; satellites/oha/released.ts says ${known.sha256} and ${known.bytes}`,
    );
  }
  return gunzipSync(bytes);
}

function pack(folder: string, out: string): Packed {
  const args = ["pack", folder, "--json", "--ignore-scripts", "--pack-destination", out];
  const [made] = JSON.parse(execFileSync("npm", args, { encoding: "utf8" }));
  const { name, version, filename: file, integrity, size: bytes } = made;
  return { name, version, file, integrity, bytes };
}

const tooLarge = (what: string, bytes: number, most: number): string =>
  `${what}: ${bytes.toLocaleString("en")} bytes, and ${most.toLocaleString("en")} at most`;
