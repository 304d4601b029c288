// Packs a folder as GitHub packs an artifact: a zip of its files, names relative to it.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DEFLATED = 8;
const VERSION = 20;

export function zipFolder(folder: string): Uint8Array {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const each of names) {
    const name = Buffer.from(each);
    const content = readFileSync(join(folder, each));
    const packed = deflateRawSync(content);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(DEFLATED, 4);
    facts.writeUInt32LE(crc32(content), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(content.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([uint32(LOCAL), facts, name, packed]);
    // Comment, disk and attributes are nil.
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([uint32(CENTRAL), uint16(VERSION), facts, rest, name]));
    files.push(file);
    offset += file.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(names.length, 4);
  end.writeUInt16LE(names.length, 6);
  end.writeUInt32LE(listing.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listing, uint32(END), end]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
