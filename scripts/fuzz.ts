// Fuzzes the request parsers of both services, every target for about so many seconds, starting
// from the contract's vectors: they may not panic, hang or fill memory, and what they accept must
// survive being written and read again.
//
//   node scripts/fuzz.ts [seconds, default 30]
//
// Ends with one line, `N passed, N failed`. Targets of a toolchain that is missing are skipped.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCommand } from "../src/machine/sys/process.ts";

const services = join(dirname(import.meta.dirname), "services");
const seconds = Number(process.argv[2] ?? 30);
if (!Number.isInteger(seconds) || seconds < 1) {
  console.error(`fuzz: got ${process.argv[2]}, expected a whole number of seconds`);
  process.exit(2);
}
const scratch = mkdtempSync(join(tmpdir(), "tailgate-fuzz-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** Limits of one input on its way through a parser. */
const SLOWEST_S = 5;
const MOST_MB = 1024;
/** Larger inputs only slow the search down. */
const MOST_BYTES = 4096;
/**
 * Go runs known inputs first, and they use up a limit in seconds: so its limit is a count, of the
 * seeds and of what it does a second on two busy cores.
 */
const GO_INPUTS_PER_S = 200;
const GO_SEEDS = 400;
/** How long a build, which comes before, may take beside the search itself. */
const BUILD_S = 900;

interface Target {
  name: string;
  cwd: string;
  argv: string[];
  /** How many inputs it has tried, as its tool prints it. */
  executions: RegExp;
}

/** Paths of the vectors whose bodies a target of the Rust service begins with. */
const SEEDS: Readonly<Record<string, string>> = {
  document: "/documents",
  echo: "/echo",
  experiment: "/experiments",
};

/** A folder of seeds, for libFuzzer. */
function writeSeeds(target: string): string {
  const vectors = join(services, "contract/vectors");
  const seeds = readdirSync(vectors)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => JSON.parse(readFileSync(join(vectors, name), "utf8")))
    .filter(({ request }) => request.path.split("?")[0] === SEEDS[target])
    .map(({ request: { body, bodyText } }) => bodyText ?? JSON.stringify(body))
    .filter((seed) => seed !== undefined && Buffer.byteLength(seed) <= MOST_BYTES);
  if (seeds.length === 0) throw new Error(`no vector of the contract is a seed for ${target}`);
  const folder = join(scratch, "seeds", target);
  mkdirSync(folder, { recursive: true });
  for (const [i, seed] of seeds.entries()) writeFileSync(join(folder, String(i)), seed);
  return folder;
}

function run(cwd: string, program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  return { ok: status === 0, stdout, stderr };
}

function rustTargets(): Target[] {
  const cwd = join(services, "axum-api");
  if (!run(cwd, "cargo", "fuzz", "--version").ok || !run(cwd, "cargo", "+nightly", "-V").ok) {
    console.log("skipped: no cargo-fuzz or no nightly Rust: axum-api is not fuzzed");
    return [];
  }
  // cargo-fuzz updates a stale lock file in silence, and would fuzz other versions than the locked.
  const manifest = join(cwd, "fuzz/Cargo.toml");
  const locked = run(cwd, "cargo", "tree", "--locked", "--depth=0", "--manifest-path", manifest);
  if (!locked.ok) {
    console.log(`FAILED: services/axum-api/fuzz/Cargo.lock is not up to date\n${locked.stderr}`);
    total.failed++;
    return [];
  }
  const { stdout } = run(cwd, "cargo", "+nightly", "fuzz", "list");
  return stdout
    .trim()
    .split("\n")
    .map((target) => {
      const found = join(scratch, "found", target);
      mkdirSync(found, { recursive: true });
      return {
        name: `axum-api ${target}`,
        cwd,
        argv: [
          ...["cargo", "+nightly", "fuzz", "run", target, found, writeSeeds(target), "--"],
          ...[`-max_total_time=${seconds}`, `-timeout=${SLOWEST_S}`, `-rss_limit_mb=${MOST_MB}`],
          ...[`-max_len=${MOST_BYTES}`, "-print_final_stats=1"],
        ],
        executions: /number_of_executed_units: (\d+)/,
      };
    });
}

function goTargets(): Target[] {
  const cwd = join(services, "gin-api");
  if (!run(cwd, "go", "version").ok) {
    console.log("skipped: go not on PATH: gin-api is not fuzzed");
    return [];
  }
  const list = run(cwd, "go", "test", "-list", "^Fuzz", "./internal/server");
  if (!list.ok) {
    console.log(`FAILED: services/gin-api does not compile\n${list.stderr}`);
    total.failed++;
    return [];
  }
  return (list.stdout.match(/^Fuzz\w+$/gm) ?? []).map((name) => ({
    name: `gin-api ${name}`,
    cwd,
    argv: [
      ...["go", "test", "-run=^$", `-fuzz=^${name}$`],
      ...[`-fuzztime=${GO_SEEDS + seconds * GO_INPUTS_PER_S}x`, "./internal/server"],
    ],
    executions: /[\s\S]*execs: (\d+)/,
  }));
}

const total = { passed: 0, failed: 0 };
for (const { name, cwd, argv, executions } of [...rustTargets(), ...goTargets()]) {
  const { code, stdout, stderr } = await runCommand(argv, {
    cwd,
    timeoutMs: (BUILD_S + 2 * seconds) * 1000,
    env: { ...process.env, GOMEMLIMIT: `${MOST_MB}MiB` },
  });
  const output = `${stdout}\n${stderr}`;
  const count = Number(executions.exec(output)?.[1] ?? 0);
  // A target that executed nothing has shown nothing.
  const passed = code === 0 && count > 0;
  total[passed ? "passed" : "failed"]++;
  console.log(`${passed ? "ok" : "FAILED"}: ${name}, ${count.toLocaleString("en")} inputs`);
  if (!passed) console.log(output.split("\n").slice(-60).join("\n"));
}
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
