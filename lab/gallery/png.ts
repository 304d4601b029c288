// A screenshot made small: a few colours instead of all, which for text and plots nobody sees. Pure.
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
const MOST_COLOURS = 256;

interface Picture {
  width: number;
  height: number;
  /** Red, green and blue of each pixel. */
  pixels: Uint8Array;
}

/** Reads what Chromium writes: eight bits a channel, three or four channels, not interlaced. */
export function readPng(file: Buffer): Picture {
  const chunks: { name: string; data: Buffer }[] = [];
  for (let at = SIGNATURE.length; at < file.length; ) {
    const length = file.readUInt32BE(at);
    const name = file.toString("latin1", at + 4, at + 8);
    chunks.push({ name, data: file.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  const header = chunks[0]?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const channels = { 2: 3, 6: 4 }[header[9] ?? 0];
  if (channels === undefined || header[8] !== 8) throw new Error("not a screenshot of Chromium");
  const own = chunks.filter(({ name }) => name === "IDAT").map(({ data }) => data);
  return { width, height, pixels: unfiltered(inflateSync(Buffer.concat(own)), width, channels) };
}

function unfiltered(lines: Buffer, width: number, channels: number): Uint8Array {
  const size = width * channels;
  const height = lines.length / (size + 1);
  const pixels = new Uint8Array(width * height * 3);
  let above = new Uint8Array(size);
  for (let row = 0; row < height; row++) {
    const start = row * (size + 1);
    const kind = lines[start] ?? 0;
    const line = new Uint8Array(size);
    for (let i = 0; i < size; i++) {
      const left = line[i - channels] ?? 0;
      const up = above[i] ?? 0;
      const corner = above[i - channels] ?? 0;
      const guess = [0, left, up, (left + up) >> 1, nearest(left, up, corner)][kind] ?? 0;
      line[i] = (lines[start + 1 + i] ?? 0) + guess;
    }
    for (let x = 0; x < width; x++) {
      pixels.set(line.subarray(x * channels, x * channels + 3), (row * width + x) * 3);
    }
    above = line;
  }
  return pixels;
}

/** Paeth's. */
function nearest(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(guess - one)) as [
    number,
    number,
    number,
  ];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** With the most frequent colours; any other becomes the nearest of them. */
export function smallPng({ width, height, pixels }: Picture): Buffer {
  const colours = Array.from({ length: width * height }, (_, i) => {
    const [red = 0, green = 0, blue = 0] = pixels.subarray(3 * i, 3 * i + 3);
    return (red << 16) | (green << 8) | blue;
  });
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const palette = byCount.slice(0, MOST_COLOURS);
  const places = new Map(byCount.map((colour) => [colour, placeOf(colour, palette)]));
  const lines = Buffer.alloc((width + 1) * height);
  for (const [i, colour] of colours.entries()) {
    lines[i + Math.floor(i / width) + 1] = places.get(colour) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flatMap(channelsOf))),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const channelsOf = (colour: number): number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

/** Of the nearest. */
function placeOf(colour: number, palette: readonly number[]): number {
  const own = channelsOf(colour);
  const distances = palette.map((one) =>
    channelsOf(one).reduce((sum, value, i) => sum + (value - (own[i] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
