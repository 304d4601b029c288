// Writes zip files entry by entry, true ones and ones that lie: what a hostile uploader can put
// into an artifact.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  /** What is in it. */
  data: Uint8Array;
  /** Default: deflated. */
  stored?: boolean;
  /** Unix mode with file type; default a regular file. */
  mode?: number;
  /** General purpose flags; 1 is "encrypted", 8 "sizes follow the data". */
  flags?: number;
  method?: number;
  /** What the central directory claims; default the truth. */
  claims?: { size?: number; packedSize?: number; crc?: number };
}

export interface ZipShape {
  /** Entries that the end of the directory claims; default the truth. */
  entryCount?: number;
  comment?: Uint8Array;
}

export function makeZip(entries: readonly ZipEntry[], shape: ZipShape = {}): Uint8Array {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const packed = entry.stored === true ? Buffer.from(entry.data) : deflateRawSync(entry.data);
    const facts = {
      flags: entry.flags ?? 0x800,
      method: entry.method ?? (entry.stored === true ? 0 : 8),
      crc: entry.claims?.crc ?? crc32(entry.data),
      packedSize: entry.claims?.packedSize ?? packed.length,
      size: entry.claims?.size ?? entry.data.length,
      nameLength: name.length,
    };
    const local = Buffer.concat([header(0x04034b50, 4, facts), name, packed]);
    const central = header(0x02014b50, 6, facts, 46);
    central.writeUInt16LE((3 << 8) | 20, 4);
    central.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    locals.push(local);
    directory.push(central, name);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const comment = Buffer.from(shape.comment ?? []);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(shape.entryCount ?? entries.length, 8);
  end.writeUInt16LE(shape.entryCount ?? entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, central, end, comment]);
}

interface Facts {
  flags: number;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  nameLength: number;
}

/** What a local header and one of the central directory share, from `at` on. */
function header(signature: number, at: number, facts: Facts, length = 30): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32LE(signature, 0);
  bytes.writeUInt16LE(20, at);
  bytes.writeUInt16LE(facts.flags, at + 2);
  bytes.writeUInt16LE(facts.method, at + 4);
  bytes.writeUInt32LE(facts.crc, at + 10);
  bytes.writeUInt32LE(facts.packedSize >>> 0, at + 14);
  bytes.writeUInt32LE(facts.size >>> 0, at + 18);
  bytes.writeUInt16LE(facts.nameLength, at + 22);
  return bytes;
}

/** As GitHub packs an artifact: the folder's files, with names relative to it. */
export function zipFolder(folder: string): Uint8Array {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();
  return makeZip(names.map((name) => ({ name, data: readFileSync(join(folder, name)) })));
}
