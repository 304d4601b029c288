import { expect, test } from "vitest";
import { readPng, smallPng } from "./png.ts";

const pictureOf = (colours: readonly (readonly number[])[], width: number) => ({
  width,
  height: colours.length / width,
  pixels: Uint8Array.from(colours.flat()),
});
/** The palette's own reader. */
const coloursOf = (file: Buffer): string[] => {
  const at = file.indexOf("PLTE");
  const palette = file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4));
  return Array.from({ length: palette.length / 3 }, (_, i) =>
    palette.subarray(3 * i, 3 * i + 3).join(),
  );
};

test("the most frequent colours stay as they are", () => {
  const many = Array.from({ length: 300 }, (_, i) => [i % 256, i >> 8, 7]);
  const white = Array.from({ length: 300 }, () => [255, 255, 255]);
  const colours = coloursOf(smallPng(pictureOf([...many, ...white], 60)));
  expect(colours).toHaveLength(256);
  expect(colours[0]).toBe("255,255,255");
});

test("only a screenshot is read", () => {
  expect(() => readPng(smallPng(pictureOf([[0, 0, 0]], 1)))).toThrow("not a screenshot");
});
