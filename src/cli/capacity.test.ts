// What may be typed after `tailgate capacity`, and a samples file rendered again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeCapacitySamples } from "../../test/support/capacity.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { capacityFromFile } from "../app/capacity/capacity.ts";
import { UserError } from "../core/base/errors.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = sharedFolder();

const environment = makeEnvironment(folder);
const run = async (...words: string[]) =>
  await parseCommandLine(["capacity", ...words]).run(environment);

test.each([
  { words: [], message: /name a service/ },
  { words: ["api", "--p99", "20"], message: /--p99 20: expected a duration such as .* to 1m/ },
  { words: ["api", "--p99", "2m"], message: /from 100us to 1m/ },
  { words: ["api", "--errors", "0.1"], message: /--errors 0.1: expected a percentage/ },
  { words: ["api", "--launches", "2.5"], message: /--launches 2.5: expected a whole number/ },
  { words: ["api", "--launches", "0"], message: /from 1 to 1000/ },
  { words: ["api", "--slice", "10ms"], message: /from 500ms/ },
  { words: ["api", "--requests-per-day", "1e6,x"], message: /--requests-per-day 1e6: expected a/ },
  { words: ["api", "--utilisation", "120%"], message: /from 1% to 100%/ },
  { words: ["api", "--from", ""], message: /--from is empty/ },
  { words: ["api", "--from", "x.json"], message: /the service api can have no effect/ },
  { words: ["--from", "x.json", "--p99", "9ms"], message: /--p99 can have no effect/ },
  {
    words: ["--from", "nowhere.json"],
    message: /cannot read the capacity samples file .*nowhere\.json/,
  },
])("$words is refused in words", async ({ words, message }) => {
  const refused = await run(...words).catch((error) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(refused.message).toMatch(message);
});

test("a samples file renders again to the byte, other costs aside", async () => {
  const samples = join(folder, "capacity.samples.v1.json");
  writeFileSync(samples, `${JSON.stringify(makeCapacitySamples())}\n`);
  const again = async (out: string, cost = {}): Promise<string[]> => {
    const { files } = await capacityFromFile({ samples, cost, out }, environment);
    return files.map((file) => readFileSync(file, "utf8"));
  };
  const first = await again("a");
  expect(first).toHaveLength(3);
  expect(await again("b")).toEqual(first);
  expect(await again("c", { hostPrice: 50 })).not.toEqual(first);
});

test("a damaged samples file is refused with the place", async () => {
  const path = join(folder, "damaged.json");
  const samples = makeCapacitySamples({ launches: 1 });
  writeFileSync(
    path,
    JSON.stringify({ ...samples, settings: { ...samples.settings, sliceMs: "2s" } }),
  );
  const judged = capacityFromFile({ samples: path, cost: {}, out: null }, environment);
  await expect(judged).rejects.toThrow(
    /damaged\.json is not a capacity samples file of this version: settings\.sliceMs/,
  );
});
