// How soon gates of an Express service end, which compiles as it runs: of two routes, unchanged or from
// Express 4 to 5. Prints one line a gate; --keep writes the samples of the last. Nothing else may run on
// the machine meanwhile.
//
//   node lab/compiled/gates.ts [--gates 10] [--bump] [--pairs 3] [--warmup 1000] [--rounds 20] [--keep samples.v1.json]
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse, stringify } from "yaml";
import { readSamples } from "../../src/app/documents/samples.ts";
import { ReportSchema } from "../../src/core/model/report.ts";
import { makeTemporaryFolder } from "../../src/machine/sys/files.ts";
import { janitor } from "../../src/machine/sys/janitor.ts";
import { measuredMinutes } from "../evidence/runs.ts";
import { outputOf, ROOT, runGate } from "../evidence/working-copy.ts";

const SHOP = join(ROOT, "lab/compiled/shop");

const { values } = parseArgs({
  options: {
    gates: { type: "string", default: "10" },
    bump: { type: "boolean", default: false },
    pairs: { type: "string" },
    warmup: { type: "string" },
    rounds: { type: "string" },
    keep: { type: "string" },
  },
});

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
try {
  await measure(Number(values.gates));
} finally {
  janitor.cleanUp();
}

async function measure(gates: number): Promise<void> {
  const { folder, args } = makeShop();
  for (let gate = 1; gate <= gates; gate++) {
    rmSync(outputOf(folder, ""), { recursive: true, force: true });
    const { exitCode } = await runGate(folder, args, stopping.signal, join(ROOT, "dist/cli.cjs"));
    if (stopping.signal.aborted) return;
    const path = outputOf(folder, "samples.v1.json");
    const samples = readSamples(path);
    const report = readFileSync(outputOf(folder, "report.v1.json"), "utf8");
    const { verdict } = ReportSchema.parse(JSON.parse(report));
    const told = verdict.comparisons
      .filter(({ level, state }) => level === "gate" && state !== "pass")
      .map(({ id, state }) => `${id} ${state}`);
    console.log(
      `${gate}: ${exitCode} ${verdict.state} after ${measuredMinutes(samples)} min, ${samples.rounds.length} rounds; ${told.join(", ")}`,
    );
    if (values.keep !== undefined) copyFileSync(path, values.keep);
  }
}

/** A repository of its own, and what a gate in it is asked. */
function makeShop(): { folder: string; args: string[] } {
  const folder = makeTemporaryFolder();
  cpSync(SHOP, folder, { recursive: true });
  rmSync(join(folder, "express-5"), { recursive: true });
  const config = parse(readFileSync(join(folder, "tailgate.yml"), "utf8"));
  for (const scenario of Object.values<Record<string, unknown>>(config.scenarios)) {
    if (values.warmup !== undefined) scenario.warmup = Number(values.warmup);
    if (values.pairs !== undefined) scenario.slice = { pairs: Number(values.pairs) };
  }
  writeFileSync(join(folder, "tailgate.yml"), stringify(config));
  writeFileSync(join(folder, ".gitignore"), "node_modules\n.tailgate\n");
  const git = (...words: string[]): void => {
    const author = ["-c", "user.name=lab", "-c", "user.email=lab@example.invalid"];
    execFileSync("git", [...author, ...words], { cwd: folder });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "shop");
  const rounds = values.rounds === undefined ? [] : ["--rounds", values.rounds];
  if (!values.bump)
    return { folder, args: ["--reference", "HEAD", "--measure-unchanged", ...rounds] };
  for (const name of ["package.json", "package-lock.json"]) {
    copyFileSync(join(SHOP, "express-5", name), join(folder, name));
  }
  return { folder, args: ["--reference", "HEAD", ...rounds] };
}
