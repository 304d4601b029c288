// How many whole gates find that a tenth of a mix got slower: axum-api under nine requests of /echo to
// one of /process, which alone is delayed. Prints one line a gate and keeps nothing. Nothing else may
// run on the machine meanwhile.
//
//   node lab/evidence/mix.ts [--gates 20] [--delay-us 1000]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse, stringify } from "yaml";
import { ReportSchema } from "../../src/core/model/report.ts";
import { janitor } from "../../src/machine/sys/janitor.ts";
import { changeIn, cloneHead, outputOf, planted, restoreTree, runGate } from "./working-copy.ts";

const CONFIG = "mix.yml";
const SERVICE = "axum-api";

const { values } = parseArgs({
  options: {
    gates: { type: "string", default: "20" },
    // Of about 2.5 ms at its p99; up to 2 ms are spun, and so exact.
    "delay-us": { type: "string", default: "1000" },
  },
});

const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopping.abort());
try {
  await sample(Number(values.gates), `route=/process,latency_us=${values["delay-us"]}`);
} finally {
  janitor.cleanUp();
}

async function sample(gates: number, faults: string): Promise<void> {
  const clone = cloneHead();
  writeFileSync(join(clone, CONFIG), mixOf(readFileSync(join(clone, "tailgate.yml"), "utf8")));
  const author = ["-c", "user.name=lab", "-c", "user.email=lab@example.invalid"];
  execFileSync("git", ["add", CONFIG], { cwd: clone });
  execFileSync("git", [...author, "commit", "--quiet", "--message", "mix"], { cwd: clone });
  const reds: string[][] = [];
  while (reds.length < gates) {
    changeIn(clone, CONFIG, (text) => planted(text, { service: SERVICE, faults }));
    const args = ["--config", CONFIG, "--reference", "HEAD"];
    const { minutes } = await runGate(clone, args, stopping.signal);
    restoreTree(clone);
    if (stopping.signal.aborted) break;
    const report = readFileSync(outputOf(clone, "report.v1.json"), "utf8");
    const { state, comparisons } = ReportSchema.parse(JSON.parse(report)).verdict;
    const red = comparisons.filter((one) => one.level === "gate" && one.state === "regressed");
    reds.push(red.map(({ id }) => id));
    console.log(`${reds.length}: ${state} in ${minutes.toFixed(1)} min ${reds.at(-1)?.join(", ")}`);
  }
  const by = (found: string): number =>
    reds.filter((ids) => ids.some((id) => id.startsWith(`${SERVICE}/shop${found}`))).length;
  // A gate ends at its first red: on one core what one part takes the others wait for.
  console.log(
    `found by ${by("")} of ${reds.length} gates: ${by("[process]")} by the part, ${by(" ")} by the whole`,
  );
}

/** The repository's own configuration, with one service under a mix of its two scenarios. */
function mixOf(own: string): string {
  const { services, scenarios, ...rest } = parse(own);
  const { memory: _, ...service } = services[SERVICE];
  const [echo, process] = [scenarios.echo.request, scenarios.process.request];
  const mix = { echo: { weight: 9, request: echo }, process: { request: process } };
  return stringify({
    ...rest,
    services: { [SERVICE]: service },
    scenarios: { shop: { mix, rate: "1000/s" } },
  });
}
