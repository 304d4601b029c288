// A program's bytes → Go's build information in it: debug/buildinfo of Go's standard library
// describes the format, whose strings have stood in the file since Go 1.18.

const MAGIC = Buffer.from("\xff Go buildinf:", "latin1");
const HEADER_BYTES = 32;
const FLAGS_AT = 15;
const INLINE_STRINGS = 2;
/** Stand before and behind the list of modules. */
const FRAME_BYTES = 16;
/** Module lists of the largest programs have a tenth of it. */
const MOST_BYTES = 1 << 20;

/** The modules that lie in the repository: main, and those replaced by a folder. Null: not of Go. */
export function parseBuildInfo(program: Buffer): string[] | null {
  const at = program.indexOf(MAGIC);
  if (at === -1) return null;
  if (((program[at + FLAGS_AT] ?? 0) & INLINE_STRINGS) === 0) return [];
  const version = stringAt(program, at + HEADER_BYTES);
  const list = stringAt(program, version.end).text.slice(FRAME_BYTES, -FRAME_BYTES);
  const own: string[] = [];
  let last = "";
  for (const line of list.split("\n")) {
    const [kind, name = ""] = line.split("\t");
    if (kind === "mod") own.push(name);
    if (kind === "=>" && /^\.{0,2}\//.test(name)) own.push(last);
    last = name;
  }
  return own;
}

/** Behind its length, seven bits in a byte. */
function stringAt(bytes: Buffer, start: number): { text: string; end: number } {
  let length = 0;
  let at = start;
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = bytes[at++] ?? 0;
    length |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  const end = at + Math.min(length, MOST_BYTES);
  return { text: bytes.toString("latin1", at, end), end };
}
