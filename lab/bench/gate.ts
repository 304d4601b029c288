// What the gate itself costs. Each figure is a ratio, or stands beside a yardstick taken in the
// same run, because the machine's speed is nobody's constant. Nothing else may run meanwhile.
//
//   node lab/bench/gate.ts           start-up and judging (seconds)
//   node lab/bench/gate.ts load      a gate of this checkout for three minutes, watched from outside
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../src/app/config/load.ts";
import type { Policy } from "../../src/core/model/config.ts";
import { ReportSchema } from "../../src/core/model/report.ts";
import type { Round, Samples } from "../../src/core/model/samples.ts";
import { median } from "../../src/core/stats/dispersion.ts";
import { judge } from "../../src/core/verdict/judge.ts";
import { makeSamples } from "../../test/support/samples.ts";

const root = resolve(import.meta.dirname, "../..");
const cli = join(root, "dist/cli.cjs");

function timed(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

async function benchStart(): Promise<void> {
  const bare: number[] = [];
  const help: number[] = [];
  const action: number[] = [];
  for (let i = 0; i < 31; i++) {
    bare.push(timed(() => spawnSync(process.execPath, ["-e", "0"])));
    help.push(timed(() => spawnSync(process.execPath, [cli, "--help"])));
    action.push(await timeToFirstLine());
  }
  const [a, b, c] = [median(bare), median(help), median(action)];
  console.log(
    `start: dist/cli.cjs --help ${b.toFixed(0)} ms, node -e 0 ${a.toFixed(0)} ms, ratio ${(b / a).toFixed(2)} (medians of 31)`,
  );
  console.log(
    `start: dist/action.cjs to its first line ${c.toFixed(0)} ms, ratio to node -e 0 ${(c / a).toFixed(2)}; the first of all ${action[0]?.toFixed(0)} ms (median of 31)`,
  );
}

/**
 * The action on a workflow run that asks for a plan: from its start to the line by which it says
 * what it does.
 */
async function timeToFirstLine(): Promise<number> {
  const started = performance.now();
  const step = spawn(process.execPath, [join(root, "dist/action.cjs")], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      INPUT_MODE: "plan",
      INPUT_SHARDS: "2",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_RUN_ID: "1",
      GITHUB_WORKSPACE: root,
      GITHUB_EVENT_NAME: "workflow_dispatch",
      GITHUB_EVENT_PATH: join(root, "package.json"),
    },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const firstMs: number[] = [];
  step.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (text.startsWith("tailgate ")) firstMs.push(performance.now() - started);
  });
  await once(step, "close");
  const [first] = firstMs;
  if (first === undefined) throw new Error("the action said nothing");
  return first;
}

function benchJudge(): void {
  // With every metric that a default configuration has, tested or only shown.
  const { policy } = loadConfig(join(root, "tailgate.yml"), root);
  const samples = wide(makeSamples({ rounds: 60, noise: 0.08 }), 10, policy);
  judge({ samples, baselines: [] });
  const times = Array.from({ length: 9 }, () => timed(() => judge({ samples, baselines: [] })));
  const parse = Array.from({ length: 9 }, () => timed(() => JSON.parse(JSON.stringify(samples))));
  const [a, b] = [median(times), median(parse)];
  console.log(
    `judge: 60 rounds × ${samples.config.scenarios.length} scenarios ${a.toFixed(0)} ms, a JSON round trip of the same samples ${b.toFixed(0)} ms, ratio ${(a / b).toFixed(2)} (medians of 9)`,
  );
}

/** The same rounds with `count` scenarios of one service. */
function wide(samples: Samples, count: number, policy: Policy): Samples {
  const [first] = samples.config.scenarios;
  if (first === undefined) throw new Error("no scenario: bug");
  const names = Array.from({ length: count }, (_, i) => `api/s${i}`);
  return {
    ...samples,
    config: {
      ...samples.config,
      policy,
      scenarios: names.map((id) => ({ ...first, id, name: id.slice(4) })),
    },
    rounds: samples.rounds.map((round) => ({
      ...round,
      scenarios: names.map((scenario, i) => ({
        ...(round.scenarios[i % round.scenarios.length] as Round["scenarios"][number]),
        scenario,
      })),
    })),
  };
}

/** CPU nanoseconds of all threads of a process; null when it is gone. */
function cpuNs(pid: number): number | null {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, task) =>
        sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
      0,
    );
  } catch {
    return null;
  }
}

/** What the gate was doing, and the CPU time that it had taken, at one instant. */
interface Moment {
  oha: string | null;
  cpu: number;
  at: number;
}

function ohaOf(pid: number): string | null {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return (
      children.find((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "oha") ?? null
    );
  } catch {
    return null;
  }
}

async function benchLoad(): Promise<void> {
  const out = join(root, ".tailgate/bench");
  const gate = spawn(
    process.execPath,
    [
      cli,
      "gate",
      "--reference",
      "HEAD",
      "--measure-unchanged",
      "--time-budget",
      "3m",
      "--out",
      out,
    ],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const { pid } = gate;
  if (pid === undefined) throw new Error("the gate did not start");
  let done = false;
  gate.on("close", () => {
    done = true;
  });
  let cpu = 0;
  let wall = 0;
  let peakRssKb = 0;
  let before: Moment | null = null;
  while (!done) {
    await sleep(20);
    const cpuNow = cpuNs(pid);
    if (cpuNow === null) continue;
    const now: Moment = { oha: ohaOf(pid), cpu: cpuNow, at: performance.now() };
    // Only intervals that lie wholly inside one oha's life: what the gate does between slices is
    // the other figure.
    if (before !== null && before.oha !== null && before.oha === now.oha) {
      cpu += (now.cpu - before.cpu) / 1e6;
      wall += now.at - before.at;
    }
    before = now;
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    peakRssKb = Math.max(peakRssKb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }
  const { run } = ReportSchema.parse(JSON.parse(readFileSync(join(out, "report.v1.json"), "utf8")));
  console.log(
    `gate's own CPU while oha runs: ${((100 * cpu) / wall).toFixed(2)} % of a core over ${(wall / 1000).toFixed(0)} s; RSS at most ${(peakRssKb / 1024).toFixed(0)} MiB`,
  );
  console.log(
    `share of rounds' wall time that is not load: ${(100 * (1 - (run.loadShare ?? Number.NaN))).toFixed(0)} %`,
  );
}

if (process.argv[2] === "load") {
  await benchLoad();
} else {
  await benchStart();
  benchJudge();
}
