// A class of runner whose machines take turns, by files: what is recorded on one model and on the
// other, and what a stored gate answers on either.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeTestRepository } from "../../../test/support/build.ts";
import { FIRST } from "../../../test/support/configurations.ts";
import { makeEnvironment } from "../../../test/support/environment.ts";
import { makeHost } from "../../../test/support/samples.ts";
import { makeSteadySamples, STEADY_NIGHTS } from "../../../test/support/stored.ts";
import type { Fingerprint } from "../../core/model/host.ts";
import type { Report } from "../../core/model/report.ts";
import { renderMarkdown } from "../../core/report/gate/markdown.ts";
import { judgeFile } from "../gate/judge.ts";
import { openProject } from "../project/project.ts";
import { recordBaselines } from "./record.ts";

interface Machine {
  host: Partial<Fingerprint>;
  file: string;
  /** Of the first machine's latency. */
  pace: number;
}

const FACTS = { architecture: "x64", pageBytes: 4096, hugePages: "madvise", serviceCpus: 1 };
const INTEL: Machine = {
  host: { ...FACTS, cpuModel: "Intel(R) Xeon(R) Processor", kernel: "6.18.44-v769" },
  file: "api@intel-xeon-processor-2-cpus.json",
  pace: 1,
};
const AMD: Machine = {
  host: { ...FACTS, cpuModel: "AMD EPYC", kernel: "6.18.44-v669", microcode: "0x9" },
  file: "api@amd-epyc-2-cpus.json",
  pace: 1.4,
};

function world() {
  const repository = makeTestRepository();
  onTestFinished(() => repository[Symbol.dispose]());
  repository.write("tailgate.yml", FIRST);
  repository.commit("first");
  const environment = makeEnvironment(repository.path);
  const folder = join(repository.path, "baselines", "test");

  /** The samples of a run there, with so much more memory. */
  function measured({ host, pace }: Machine, rss: number): string {
    const keys = ["echo/p99", "echo/p99Typical", "hello/p99", "hello/p99Typical"];
    const ratios = Object.fromEntries(keys.map((key) => [key, pace]));
    const samples = { ...makeSteadySamples({ ...ratios, rss }, 16), host: makeHost(host) };
    const path = join(repository.path, "samples.json");
    writeFileSync(path, JSON.stringify(samples));
    return path;
  }
  return {
    async record(machine: Machine, mode: "record" | "update" = "record"): Promise<void> {
      const project = await openProject({}, environment);
      await recordBaselines({ mode, from: measured(machine, 1) }, project, environment);
    },
    async gate(machine: Machine, rss = 1): Promise<Report> {
      const samples = measured(machine, rss);
      const baselines = join(repository.path, "baselines");
      const asked = { samples, config: null, baselines, history: STEADY_NIGHTS, out: null };
      return (await judgeFile(asked, environment)).report;
    },
    files: () => readdirSync(folder).sort(),
    textOf: ({ file }: Machine) => readFileSync(join(folder, file), "utf8"),
    rename: ({ file }: Machine, to: string) =>
      repository.git("mv", "-f", join("baselines/test", file), join("baselines/test", to)),
    commit: () => repository.commit("baselines"),
  };
}

const stateOf = ({ verdict }: Report, metric: string): string[] => [
  ...new Set(verdict.comparisons.filter((one) => one.metric === metric).map(({ state }) => state)),
];

test("a class keeps a baseline for each model, and a gate on either answers what it can", async () => {
  const { record, gate, files, textOf } = world();
  await record(INTEL);
  expect(files()).toEqual([INTEL.file]);

  const own = await gate(INTEL);
  expect(own.verdict.state).toBe("pass");
  const first = await gate(AMD);
  expect(first.verdict.state, first.verdict.headline).toBe("pass");
  expect(stateOf(first, "rss")).toEqual(["pass"]);
  expect(stateOf(first, "p99")).toEqual(["no-baseline"]);
  const text = renderMarkdown(first);
  expect(text).toContain("there is no baseline of AMD EPYC, 2 CPUs yet");
  expect(text).toMatch(/memory is compared with the baseline of Intel\\?\(R\\?\) Xeon/);

  for (const machine of [INTEL, AMD]) {
    const heavier = await gate(machine, 1.1);
    expect(heavier.verdict.state, machine.file).toBe("regressed");
    expect(stateOf(heavier, "rss"), machine.file).toEqual(["regressed"]);
  }

  const before = textOf(INTEL);
  await record(AMD);
  expect(files()).toEqual([AMD.file, INTEL.file]);
  await record(AMD, "update");
  expect(files()).toEqual([AMD.file, INTEL.file]);
  expect(textOf(INTEL)).toBe(before);
  for (const machine of [INTEL, AMD]) {
    const { verdict, ...rest } = await gate(machine);
    expect(verdict.state, machine.file).toBe("pass");
    expect(stateOf({ verdict, ...rest }, "p99"), machine.file).toEqual(["pass"]);
    expect(verdict.headline).toMatch(/^no regression: each of 5 gated metrics is [^;]*$/);
  }
  // Of the other model its latency would be a regression.
  expect((await gate({ ...INTEL, pace: AMD.pace })).verdict.state).toBe("regressed");
});

test("a file that an older version wrote is the baseline of its machine", async () => {
  const { record, gate, files, rename, commit } = world();
  await record(INTEL);
  commit();
  rename(INTEL, "api.json");
  expect((await gate(INTEL)).verdict.state).toBe("pass");
  await record(INTEL, "update");
  expect(files()).toEqual(["api.json", INTEL.file]);
});

test("an update needs a baseline of this very machine", async () => {
  const { record } = world();
  await record(INTEL);
  await expect(record(AMD, "update")).rejects.toThrow(
    "there is no baseline of api on this machine to update",
  );
});
