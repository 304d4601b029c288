// What may be typed after `tailgate export`, and what is written.
import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makeEnvironment } from "../../test/support/environment.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { makeSamples } from "../../test/support/samples.ts";
import { reportOn, writeGateReports } from "../app/gate/outcome.ts";
import { UserError } from "../core/base/errors.ts";
import { EXPORT_FORMATS } from "../core/model/export.ts";
import { parseCommandLine } from "./command-line.ts";

const folder = sharedFolder();

const environment = makeEnvironment(folder);
const run = async (...words: string[]) =>
  await parseCommandLine(["export", ...words]).run(environment);

const samples = makeSamples({ rounds: 8, noise: 0.02 });
const whole = join(folder, "whole");
const alone = join(folder, "alone");
const mixed = join(folder, "mixed");
for (const out of [whole, alone, mixed]) {
  await writeGateReports(out, reportOn(samples, []), environment);
}
writeFileSync(join(whole, "samples.v1.json"), JSON.stringify(samples));
const others = { ...samples, run: { ...samples.run, id: "other" } };
writeFileSync(join(mixed, "samples.v1.json"), JSON.stringify(others));

test.each(EXPORT_FORMATS)("%s is written", async (format) => {
  const file = join(folder, format);
  const words = ["whole/report.v1.json", "--format", format, "--output", format];
  expect(await run(...words)).toBe(0);
  expect(readFileSync(file, "utf8").length).toBeGreaterThan(50);
});

test("a link that is named is written through, not replaced", async () => {
  const [target, link] = [join(folder, "target.csv"), join(folder, "link.csv")];
  writeFileSync(target, "");
  symlinkSync(target, link);
  await run("whole/report.v1.json", "--format", "csv", "--output", "link.csv");
  expect(readFileSync(target, "utf8").length).toBeGreaterThan(50);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

test.each([
  { words: ["whole/report.v1.json"], says: /--format is missing/ },
  { words: ["--format", "csv"], says: /name a report file/ },
  { words: ["whole/report.v1.json", "--format", "sarif"], says: /expected one of bmf, gha, / },
  { words: ["nowhere.json", "--format", "csv"], says: /cannot read the report/ },
  { words: ["alone/report.v1.json", "--format", "benchfmt"], says: /there is no .*samples/ },
  { words: ["mixed/report.v1.json", "--format", "benchfmt"], says: /is of the run other, and the/ },
])("$words is refused", async ({ words, says }) => {
  const refused = async () => await run(...words, "--output", "refused");
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(says);
  expect(existsSync(join(folder, "refused"))).toBe(false);
});
