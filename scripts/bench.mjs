// What the gate itself costs. Each figure is a ratio, or stands beside a yardstick taken in the same run, because the
// machine's speed is nobody's constant. Nothing else may run meanwhile.
//
//   node scripts/bench.mjs           start-up and judging (seconds)
//   node scripts/bench.mjs load      a gate of this checkout for three minutes, watched from outside
import { spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, "dist/cli.cjs");

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

async function benchStart() {
  const bare = [];
  const version = [];
  const action = [];
  for (let i = 0; i < 31; i++) {
    bare.push(timed(() => spawnSync(process.execPath, ["-e", "0"])));
    version.push(timed(() => spawnSync(process.execPath, [cli, "--version"])));
    action.push(await timeToFirstLine());
  }
  const [a, b, c] = [median(bare), median(version), median(action)];
  console.log(
    `start: dist/cli.cjs --version ${b.toFixed(0)} ms, node -e 0 ${a.toFixed(0)} ms, ratio ${(b / a).toFixed(2)} (medians of 31)`,
  );
  console.log(
    `start: dist/action.cjs to its first line ${c.toFixed(0)} ms, ratio to node -e 0 ${(c / a).toFixed(2)}; the first of all ${action[0].toFixed(0)} ms (median of 31)`,
  );
}

/** The action on a workflow run that asks for a plan: from its start to the line by which it says what it does. */
async function timeToFirstLine() {
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
  let firstMs = null;
  step.stdout.setEncoding("utf8").on("data", (text) => {
    if (firstMs === null && text.startsWith("tailgate ")) firstMs = performance.now() - started;
  });
  await new Promise((done) => step.on("close", done));
  if (firstMs === null) throw new Error("the action said nothing");
  return firstMs;
}

async function benchJudge() {
  const { makeSamples } = await import("../test/support/samples.ts");
  const { judge } = await import("../src/verdict/judge.ts");
  const { loadConfig } = await import("../src/config/load.ts");
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
function wide(samples, count, policy) {
  const [first] = samples.config.scenarios;
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
        ...round.scenarios[i % round.scenarios.length],
        scenario,
      })),
    })),
  };
}

/** CPU nanoseconds of all threads of a process; null when it is gone. */
function cpuNs(pid) {
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

function ohaOf(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    return (
      children.find((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "oha") ?? null
    );
  } catch {
    return null;
  }
}

async function benchLoad() {
  const out = join(root, ".tailgate/bench");
  const gate = spawn(
    process.execPath,
    [cli, "gate", "--reference", "HEAD", "--time-budget", "3m", "--out", out],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  let done = false;
  gate.on("close", () => {
    done = true;
  });
  let cpu = 0;
  let wall = 0;
  let peakRssKb = 0;
  let before = null;
  while (!done) {
    await sleep(20);
    const now = { oha: ohaOf(gate.pid), cpu: cpuNs(gate.pid), at: performance.now() };
    if (now.cpu === null) continue;
    // Only intervals that lie wholly inside one oha's life: what the gate does between slices is the other figure.
    if (before !== null && before.oha !== null && before.oha === now.oha) {
      cpu += (now.cpu - before.cpu) / 1e6;
      wall += now.at - before.at;
    }
    before = now;
    const status = readFileSync(`/proc/${gate.pid}/status`, "utf8");
    peakRssKb = Math.max(peakRssKb, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }
  const report = JSON.parse(readFileSync(join(out, "report.v1.json"), "utf8"));
  console.log(
    `gate's own CPU while oha runs: ${((100 * cpu) / wall).toFixed(2)} % of a core over ${(wall / 1000).toFixed(0)} s; RSS at most ${(peakRssKb / 1024).toFixed(0)} MiB`,
  );
  console.log(
    `share of rounds' wall time that is not load: ${(100 * (1 - report.run.loadShare)).toFixed(0)} %`,
  );
}

if (process.argv[2] === "load") {
  await benchLoad();
} else {
  await benchStart();
  await benchJudge();
}
