// Thousands of damaged files of each kind that the command line reads, new ones every night: each is
// taken or refused in words, what is printed is inert, memory stays bounded, and nothing makes a
// pass of what regressed. On two busy CPUs all of it takes about eight minutes.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { reportOn } from "../src/app/gate/outcome.ts";
import type { Environment } from "../src/app/settings.ts";
import { parseCommandLine } from "../src/cli/command-line.ts";
import { EXIT } from "../src/cli/exit-codes.ts";
import { UserError } from "../src/core/base/errors.ts";
import { createPrng, type Prng } from "../src/core/base/prng.ts";
import { EXPORT_FORMATS } from "../src/core/model/export.ts";
import { recorded } from "./support/baseline-update-cases.ts";
import { makeTestRepository } from "./support/build.ts";
import { makeProfile } from "./support/calibration.ts";
import { makeCapacitySamples } from "./support/capacity.ts";
import { makeComparisonSamples } from "./support/comparison.ts";
import { FIRST, FULL } from "./support/configurations.ts";
import { damagedJson, damagedYaml, pick } from "./support/damage.ts";
import { makeEnvironment } from "./support/environment.ts";
import { sharedFolder } from "./support/files.ts";
import { FIRST_SEED, peakMib } from "./support/fuzz.ts";
import { REGRESSED } from "./support/hostile-artifact.ts";
import { harmOnScreen } from "./support/screen.ts";
import { trendOf } from "./support/trend.ts";
import { trialsOf } from "./support/trials.ts";

const MOST_MIB = 1024;
/** Of one file: a bound on what grows with the square of something. */
const MOST_MS = 20_000;
const A_NIGHT_MS = 3_600_000;

const RECORDS = trendOf({ nights: 6, steps: { "api/echo p99": { night: 3, size: 0.2 } } });

const folder = sharedFolder();
const place = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
place("regressed.json", JSON.stringify(REGRESSED));
place("auto.yml", `${FIRST}metrics: { p99: { margin: auto } }\n`);

interface Kind {
  name: string;
  count: number;
  /** The file that is damaged, as it is sound. */
  path: string;
  sound: readonly string[];
  damaged: (prng: Prng, text: string) => string;
  /** What is typed about it: one of these each time. */
  typed: readonly string[];
  /** It says of what regressed that it passes only by a lie. */
  mayPass: boolean;
  /** Where it is typed. */
  folder: string;
}

const json = (name: string, path: string, value: unknown, typed: readonly string[]): Kind => ({
  name,
  folder,
  path,
  typed,
  count: trialsOf(2000),
  sound: [JSON.stringify(value)],
  damaged: damagedJson,
  mayPass: true,
});

const KINDS: readonly Kind[] = [
  json("samples", "samples.json", REGRESSED, [
    "judge samples.json --out out",
    "judge samples.json --explain",
    "judge samples.json --json",
  ]),
  json("reports", "report.json", reportOn(REGRESSED, []), [
    ...["report report.json", "report report.json --format markdown --output out.txt"],
    "report report.json --format html --output out.txt",
    ...EXPORT_FORMATS.map((format) => `export report.json --format ${format} --output out.txt`),
  ]),
  {
    ...json("baselines", "baselines/test/api.json", recorded(3), [
      "judge regressed.json --baselines baselines",
    ]),
    mayPass: false,
  },
  {
    ...json("records of a history", "history/2026-01.jsonl", RECORDS[3], [
      "judge regressed.json --history history",
      "history",
      "history --html --output out.txt",
    ]),
    damaged: (prng, text) => {
      const others = RECORDS.filter((_, i) => i !== 3).map((one) => JSON.stringify(one));
      return [...others, damagedJson(prng, text)].join("\n");
    },
    mayPass: false,
  },
  {
    ...json("profiles", "profiles/test/_profile.json", makeProfile(), [
      "judge regressed.json --config auto.yml --baselines profiles",
    ]),
    mayPass: false,
  },
  json("samples of a capacity", "capacity.json", makeCapacitySamples({ launches: 2 }), [
    "capacity --from capacity.json --out out",
  ]),
  json("samples of a comparison", "two.json", makeComparisonSamples({ rounds: 8, whole: true }), [
    "compare --from two.json --out out",
  ]),
];

const repository = makeTestRepository();
afterAll(() => repository[Symbol.dispose]());
/** What FULL names. */
for (const path of [
  ...["services/api/main.go", "services/db/tables.sql", "services/db/rows.sql", "stub/main.go"],
  ...["services/cache/fill", "body.json", "tls/ca.pem", "start.sh"],
]) {
  repository.write(path, "{}\n");
}
repository.write("tailgate.yml", FULL);
repository.commit("first");
repository.write("services/api/main.go", "package main\n");
repository.commit("second");

const CONFIGURATIONS: Kind = {
  name: "configurations",
  folder: repository.path,
  path: "tailgate.yml",
  count: trialsOf(5000),
  sound: [FIRST.replace("    env:", "    run: ./api\n    env:"), FULL],
  damaged: damagedYaml,
  typed: ["plan --reference HEAD~1"],
  mayPass: true,
};

/** The exit code; what is no verdict and no refusal in words is thrown, as the program's own fault. */
async function endOf(words: string, environment: Environment): Promise<number> {
  try {
    return await parseCommandLine(words.split(" ")).run(environment);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    return thrown.kind === "invalid" ? EXIT.invalid : EXIT.usage;
  }
}

test.each([...KINDS, CONFIGURATIONS])(
  "$count damaged $name",
  { timeout: A_NIGHT_MS },
  async (kind) => {
    const { name, count, sound, damaged, typed, mayPass } = kind;
    const environment = makeEnvironment(kind.folder);
    const file = join(kind.folder, kind.path);
    mkdirSync(dirname(file), { recursive: true });
    let printed = "";
    const stdout = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      printed += text;
      return true;
    });
    onTestFinished(() => stdout.mockRestore());
    // Left behind, a damaged file would be what the next kind is refused for.
    onTestFinished(() => rmSync(file));
    const ends: Record<number, number> = {};
    let slowestMs = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + count; seed++) {
      const prng = createPrng(seed);
      writeFileSync(file, damaged(prng, pick(prng, sound)));
      const words = pick(prng, typed);
      const what = `FUZZ_SEED=${seed} ${name}: tailgate ${words}`;
      printed = "";
      const begunMs = performance.now();
      const code = await endOf(words, environment).catch((cause: unknown) => {
        throw new Error(`${what}: ends with 70`, { cause });
      });
      slowestMs = Math.max(slowestMs, performance.now() - begunMs);
      ends[code] = (ends[code] ?? 0) + 1;
      if (words.startsWith("judge") && !mayPass) expect(code, what).not.toBe(0);
      if (!words.includes("--json")) expect(harmOnScreen(printed), what).toBeNull();
      expect(slowestMs, what).toBeLessThan(MOST_MS);
    }
    stdout.mockRestore();
    console.log(
      `${name}: ends ${JSON.stringify(ends)}, ${Math.round(slowestMs)} ms at most, ${peakMib()} MiB`,
    );
    expect(peakMib()).toBeLessThanOrEqual(MOST_MIB);
    // What only ever refuses, or only takes, has tried little.
    expect(ends[EXIT.usage]).toBeGreaterThan(count / 20);
    expect(ends[EXIT.usage]).toBeLessThan((count * 19) / 20);
  },
);
