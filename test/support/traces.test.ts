// That a search for a value finds it, whatever it was written as: otherwise finding nothing would
// say nothing.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeFolder } from "./files.ts";
import { filesWith, tracesOf, withoutMasks } from "./traces.ts";

const TOKEN = 't0k"n/+06e501dd9da10c927b30f35b';

test("every way of writing a value is found in a file, and nothing else", () => {
  const folder = makeFolder();
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const written = {
    plain: `Bearer ${TOKEN}\n`,
    url: `/u/${encodeURIComponent(TOKEN)}?x`,
    json: JSON.stringify({ text: JSON.stringify({ TOKEN }) }),
    html: TOKEN.replaceAll('"', "&quot;").replaceAll("+", "&#43;"),
    base64: base64(TOKEN),
    "base64-1": base64(`:${TOKEN}, and more`),
    "base64-2": base64(`a:${TOKEN}`),
    other: 'Bearer t0k"n/+\n',
  };
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, name), text);
  const found = filesWith(tracesOf(TOKEN), folder).map((path) => path.slice(folder.length + 1));
  const { other: _, ...rest } = written;
  expect(found.sort()).toEqual(Object.keys(rest).sort());
});

test("what GitHub alone is told to hide is not said", () => {
  const said = `one\n::add-mask::${TOKEN}\ntwo\n`;
  expect(withoutMasks(said)).toEqual({ text: "one\ntwo\n", masked: [TOKEN] });
});
