// Fuzzes the request parsers of both services, every target for about so many seconds, starting
// from the contract's vectors: they may not panic, hang or fill memory, and what they accept must
// survive being written and read again.
//
//   node scripts/fuzz.ts [seconds, default 30]
//
// Ends with one line, `N passed, N failed`. A toolchain that is missing is said to be, and its
// targets are skipped.
import { execFileSync, spawnSync } from "node:child_process";
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

/** The slowest input on its way through a parser, and the most memory. */
const SLOWEST_S = 5;
const MOST_MB = 1024;
/**
 * Go's limit in seconds is over before the first new input where many are known already, since it
 * runs these first; so its limit is a count, of what it does a second on two busy cores.
 */
const GO_INPUTS_PER_S = 200;
/** More than any target has seeds, which are run first and count. */
const GO_SEEDS = 400;
/** Larger inputs only slow the search down. */
const MOST_BYTES = 4096;
/** How long a build, which comes before, may take beside the search itself. */
const BUILD_S = 900;

interface Vector {
  path: string;
  body: string | null;
}

interface Target {
  name: string;
  cwd: string;
  argv: string[];
  /** How many inputs it has tried, as its tool prints it. */
  executions: RegExp;
}

/** Which vectors a target of the Rust service begins with. */
const SEEDS: Readonly<Record<string, (vector: Vector) => string | null>> = {
  document: ({ path, body }) => (path === "/documents" ? body : null),
  echo: ({ path, body }) => (path === "/echo" ? body : null),
  experiment: ({ path, body }) => (path === "/experiments" ? body : null),
};

function vectors(): Vector[] {
  const folder = join(services, "contract/vectors");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")))
    .map(({ request }) => {
      const [path] = request.path.split("?");
      const body =
        request.body === undefined ? (request.bodyText ?? null) : JSON.stringify(request.body);
      return { path, body };
    });
}

/** A folder of seeds, for libFuzzer. */
function writeSeeds(target: string): string {
  const choose = SEEDS[target];
  if (choose === undefined) throw new Error(`scripts/fuzz.ts has no seeds for ${target}`);
  const folder = join(scratch, "seeds", target);
  mkdirSync(folder, { recursive: true });
  const seeds = vectors()
    .map(choose)
    .filter((seed) => seed !== null)
    .filter((seed) => Buffer.byteLength(seed) <= MOST_BYTES);
  if (seeds.length === 0) throw new Error(`no vector of the contract is a seed for ${target}`);
  for (const [i, seed] of seeds.entries()) writeFileSync(join(folder, String(i)), seed);
  return folder;
}

function answers(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0;
}

function rustTargets(): Target[] {
  const missing = !answers("cargo", ["fuzz", "--version"])
    ? "cargo-fuzz not on PATH"
    : !answers("cargo", ["+nightly", "--version"])
      ? "no nightly toolchain of Rust"
      : null;
  if (missing !== null) {
    console.log(`skipped: ${missing}: axum-api is not fuzzed`);
    return [];
  }
  const cwd = join(services, "axum-api");
  // cargo-fuzz would mend a stale lock file in silence, and fuzz other versions than those that are
  // locked.
  const manifest = join(cwd, "fuzz/Cargo.toml");
  const locked = spawnSync(
    "cargo",
    ["tree", "--locked", "--depth=0", "--manifest-path", manifest],
    {
      encoding: "utf8",
    },
  );
  if (locked.status !== 0) {
    console.log(
      `FAILED: services/axum-api/fuzz cannot be built as it is locked; if its Cargo.lock is not up to date, run \`cargo update --workspace\` there and commit what that changes\n${locked.stderr}`,
    );
    total.failed++;
    return [];
  }
  const list = execFileSync("cargo", ["+nightly", "fuzz", "list"], { cwd, encoding: "utf8" });
  return list
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
          `-max_total_time=${seconds}`,
          `-timeout=${SLOWEST_S}`,
          `-rss_limit_mb=${MOST_MB}`,
          `-max_len=${MOST_BYTES}`,
          "-print_final_stats=1",
        ],
        executions: /number_of_executed_units: (\d+)/,
      };
    });
}

function goTargets(): Target[] {
  if (!answers("go", ["version"])) {
    console.log("skipped: go not on PATH: gin-api is not fuzzed");
    return [];
  }
  const cwd = join(services, "gin-api");
  const list = execFileSync("go", ["test", "-list", "^Fuzz", "./..."], { cwd, encoding: "utf8" });
  const targets: { name: string; folder: string }[] = [];
  let names: string[] = [];
  // Names come before the package that they are of.
  for (const line of list.split("\n")) {
    if (line.startsWith("Fuzz")) names.push(line);
    const [, folder] = /^ok\s+\S*\/gin-api(\S*)/.exec(line) ?? [];
    if (folder === undefined) continue;
    targets.push(...names.map((name) => ({ name, folder: `.${folder}` })));
    names = [];
  }
  return targets.map(({ name, folder }) => ({
    name: `gin-api ${name}`,
    cwd,
    argv: [
      ...["go", "test", "-run=^$", `-fuzz=^${name}$`],
      ...[`-fuzztime=${GO_SEEDS + seconds * GO_INPUTS_PER_S}x`, folder],
    ],
    executions: /[\s\S]*execs: (\d+)/,
  }));
}

const total = { passed: 0, failed: 0 };
for (const { name, cwd, argv, executions } of [...rustTargets(), ...goTargets()]) {
  const { code, stdout, stderr } = await runCommand(argv, {
    cwd,
    timeoutMs: (BUILD_S + 2 * seconds) * 1000,
    env: { ...(process.env as Record<string, string>), GOMEMLIMIT: `${MOST_MB}MiB` },
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
