// What may be typed after `tailgate compare`, and a samples file rendered again.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeComparisonSamples } from "../../test/support/comparison.ts";
import { makeEnvironment } from "../../test/support/environment.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { makeSamples } from "../../test/support/samples.ts";
import { comparisonFromFile } from "../app/comparison/compare.ts";
import { UserError } from "../core/base/errors.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = sharedFolder();

const environment = makeEnvironment(folder);
const run = async (...words: string[]) =>
  await parseCommandLine(["compare", ...words]).run(environment);
const gated = join(folder, "samples.v1.json");
writeFileSync(gated, JSON.stringify(makeSamples({ rounds: 1, noise: 0.1 })));

test.each([
  { words: [], says: /name two services/ },
  { words: ["api"], says: /name two services/ },
  { words: ["a", "b", "--rounds", "0"], says: /--rounds 0: expected a whole number from 1/ },
  { words: ["a", "b", "--rounds", "1.5"], says: /--rounds 1.5: expected/ },
  { words: ["a", "b", "--rounds", ""], says: /--rounds is empty/ },
  { words: ["--from", ""], says: /--from is empty/ },
  { words: ["a", "b", "--from", "x.json"], says: /the service a can have no effect/ },
  { words: ["--from", "x.json", "--rounds", "9"], says: /--rounds can have no effect/ },
  {
    words: ["--from", "nowhere.json"],
    says: /cannot read the samples file .*nowhere\.json/,
  },
  { words: ["--from", gated], says: /are not of a comparison of two services/ },
])("$words is refused in words", async ({ words, says }) => {
  const refused = await run(...words).catch((error) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(refused.message).toMatch(says);
});

test("a samples file renders to the same bytes, whatever the order of its keys", async () => {
  const again = async (name: string, value: object): Promise<string[]> => {
    const samples = join(folder, `${name}.json`);
    writeFileSync(samples, JSON.stringify(value));
    const { files } = await comparisonFromFile({ samples, out: name }, environment);
    return files.map((file) => readFileSync(file, "utf8"));
  };
  const made = makeComparisonSamples();
  const first = await again("a", made);
  expect(first).toHaveLength(3);
  expect(await again("b", made)).toEqual(first);
  expect(await again("c", Object.fromEntries(Object.entries(made).reverse()))).toEqual(first);
  expect(await again("d", makeComparisonSamples({ seed: 2 }))).not.toEqual(first);
});

test.each([
  ["judge", [] as string[]],
  ["calibrate", ["--from"]],
])("the samples of a comparison are nothing for %s", async (name, words) => {
  const path = join(folder, "of-two.json");
  writeFileSync(path, JSON.stringify(makeComparisonSamples()));
  const refused = await parseCommandLine([name, ...words, path])
    .run(environment)
    .catch((error) => error);
  expect(refused).toBeInstanceOf(UserError);
  expect(refused.message).toMatch(/of-two\.json compares \S+ with \S+: it is of no gate/);
  expect(refused.next).toContain("tailgate compare --from");
});
