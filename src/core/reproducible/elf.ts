// The sections of a 64-bit little-endian ELF executable, by name (elf(5)).

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
/** A section without bytes in the file. */
const NO_BITS = 8;

/** Null: not such an executable, or a damaged one. */
export function elfSections(bytes: Uint8Array): Map<string, Uint8Array> | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0) !== 0x7f454c46) return null;
  const [wordSize, byteOrder] = [view.getUint8(4), view.getUint8(5)];
  if (wordSize !== 2 || byteOrder !== 1) return null;
  const table = Number(view.getBigUint64(40, true));
  const count = view.getUint16(60, true);
  const namesIndex = view.getUint16(62, true);
  if (table + count * SECTION_BYTES > bytes.length || namesIndex >= count) return null;
  const headers = Array.from({ length: count }, (_, i) => {
    const at = table + i * SECTION_BYTES;
    const isInFile = view.getUint32(at + 4, true) !== NO_BITS;
    const from = Number(view.getBigUint64(at + 24, true));
    const length = isInFile ? Number(view.getBigUint64(at + 32, true)) : 0;
    return { nameAt: view.getUint32(at, true), content: bytes.subarray(from, from + length) };
  });
  const names = headers[namesIndex]?.content ?? new Uint8Array();
  const sections = new Map<string, Uint8Array>();
  for (const { nameAt, content } of headers) {
    const end = names.indexOf(0, nameAt);
    const name = String.fromCharCode(...names.subarray(nameAt, end < 0 ? nameAt : end));
    if (name !== "") sections.set(name, content);
  }
  return sections;
}
