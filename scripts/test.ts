// Runs the steps of scripts/suite/steps.ts and ends with one line, `N passed, N failed`. A step
// that runs no test has failed.
//
//   ./scripts/test --check    format, lint, types and unit tests; also `npm run check`
//   ./scripts/test            what must hold before a change lands
//   ./scripts/test --full     every night: all trials, the tests of a night, fuzzing, mutation
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type ChildGroup, spawnGroup } from "../src/machine/sys/process.ts";
import type { Counted } from "./suite/count.ts";
import { makeSteps, type Step, TIERS, type Tier } from "./suite/steps.ts";

const ROOT = dirname(import.meta.dirname);
const FLAGS: Readonly<Record<string, Tier>> = { "--check": "check", "--full": "full" };
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
/** How long children may take to end when we are told to; what is left then is killed. */
const GRACE_MS = 5000;

interface Result extends Counted {
  step: Step;
  seconds: number;
}

const [flag, ...rest] = process.argv.slice(2);
const tier = flag === undefined ? "default" : FLAGS[flag];
if (tier === undefined || rest.length > 0) {
  console.error("usage: ./scripts/test [--check | --full]");
  process.exit(2);
}
const found = (command: string): boolean =>
  spawnSync("sh", ["-c", command], { stdio: "ignore" }).status === 0;
const servers =
  found("command -v redis-server") &&
  found("ls /usr/lib/postgresql/*/bin/postgres || command -v postgres");
const scratch = mkdtempSync(join(tmpdir(), "tailgate-test-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

const env: Record<string, string> = { ...(process.env as Record<string, string>) };
if (tier === "full") env.TAILGATE_NIGHT = "1";
const steps = makeSteps({ scratch, servers }).filter(
  (step) => TIERS.indexOf(step.tier) <= TIERS.indexOf(tier),
);

const running = new Set<ChildGroup>();
let stopped = false;
for (const [signal, code] of Object.entries(SIGNAL_EXIT)) {
  process.on(signal, () => {
    stopped = true;
    for (const child of running) child.signal("SIGTERM");
    const ended = Promise.all([...running].map(({ exited }) => exited));
    const late = new Promise((resolve) => setTimeout(resolve, GRACE_MS));
    void Promise.race([ended, late]).then(() => process.exit(code));
  });
}

/** Beside others, a step's output is kept until its end, so that no two are mixed. */
async function run(step: Step, live: boolean): Promise<Result> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const { name, needs, show = (output) => output } = step;
  if (needs !== undefined && !found(`command -v ${needs}`)) {
    const skipped = [{ test: name, reason: `${needs} not on PATH` }];
    return { step, passed: 0, failures: [], skipped, seconds: seconds() };
  }
  const streams = live && step.show === undefined;
  if (streams) console.log(`\n== ${name}`);
  let output = "";
  const keep = (stream: "stdout" | "stderr") => (text: string) => {
    output += text;
    if (streams) process[stream].write(text);
  };
  const child = spawnGroup(step.argv, {
    cwd: join(ROOT, step.cwd ?? ""),
    env: { ...env, ...step.env },
    onStdout: keep("stdout"),
    onStderr: keep("stderr"),
  });
  running.add(child);
  const { code, signal, startError } = await child.exited;
  running.delete(child);
  const path = step.addsToPath?.exec(output)?.[1];
  if (path !== undefined) env.PATH = `${dirname(path)}${delimiter}${env.PATH}`;

  const counted = countOf(step, output, code === 0);
  const { passed, failures, skipped } = counted;
  if (code !== 0 && failures.length === 0) {
    failures.push(startError?.message ?? `ended with ${signal ?? code}`);
  }
  if (passed + failures.length + skipped.length === 0) failures.push("ran no test");
  if (!streams) console.log(`\n== ${name}\n${show(output).trimEnd()}`);
  const result = { step, ...counted, seconds: seconds() };
  console.log(`-- ${name}: ${sum(result)}, ${result.seconds.toFixed(1)} s`);
  return result;
}

function countOf(step: Step, output: string, ok: boolean): Counted {
  try {
    return step.count(output, ok);
  } catch (error) {
    // A step that broke before it had a result.
    return { passed: 0, failures: [`no result: ${(error as Error).message}`], skipped: [] };
  }
}

const sum = ({ passed, failures, skipped }: Counted): string =>
  `${passed} passed, ${failures.length} failed, ${skipped.length} skipped`;

const results: Result[] = [];
/** What steps wait for that come after others. */
const ends = new Map(steps.map(({ name }) => [name, Promise.withResolvers<void>()]));

async function runLane(lane: Step["lane"], live: boolean): Promise<void> {
  for (const step of steps.filter((one) => one.lane === lane)) {
    if (stopped) return;
    await ends.get(step.after ?? "")?.promise;
    results.push(await run(step, live));
    ends.get(step.name)?.resolve();
  }
}

if (availableParallelism() > 1) {
  await Promise.all([runLane("vitest", false), runLane("tools", false)]);
} else {
  await runLane("tools", true);
  await runLane("vitest", true);
}
await runLane("alone", true);
if (!stopped) summarize(results);

function summarize(all: readonly Result[]): void {
  const lines = ["", "Seconds per step:"];
  for (const { step, seconds } of all.toSorted((a, b) => b.seconds - a.seconds)) {
    lines.push(`${seconds.toFixed(1).padStart(8)}  ${step.name}`);
  }
  const reasons = Map.groupBy(
    all.flatMap(({ step, skipped }) => skipped.map((skip) => ({ ...skip, step: step.name }))),
    ({ reason }) => reason,
  );
  for (const [reason, skips] of reasons) {
    const where = [...new Set(skips.map(({ test, step }) => test.split(": ")[0] || step))];
    lines.push(`skipped: ${reason} (${skips.length}: ${where.join(", ")})`);
  }
  for (const { step, failures } of all) {
    for (const failure of failures) lines.push(`FAILED: ${step.name}: ${failure}`);
  }
  const passed = all.reduce((total, one) => total + one.passed, 0);
  const failed = all.reduce((total, one) => total + one.failures.length, 0);
  lines.push(`${passed} passed, ${failed} failed`);
  console.log(lines.join("\n"));
  const page = process.env.GITHUB_STEP_SUMMARY;
  if (page !== undefined) appendFileSync(page, `\`\`\`\n${lines.join("\n")}\n\`\`\`\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
