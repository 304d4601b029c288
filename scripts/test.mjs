// Runs every check, counts what passed and failed over all of them, and ends with one line: `N passed, N failed`.
// A step that runs no test at all counts as a failure. `--quick` leaves out the steps that put load on the machine; `--workflows`
// adds the repository's workflows under act; a gate there that a busy machine leaves without an answer, three times, skips its test.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { runChild } from "./child.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, "dist/cli.cjs");
const quick = process.argv.includes("--quick");
const withWorkflows = process.argv.includes("--workflows");
const scratch = mkdtempSync(join(tmpdir(), "tailgate-test-"));
/** What the end of the output repeats of a failure, so that a cut log tells it too. */
const REASON_CHARACTERS = 400;
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** A step that passes or fails as a whole. */
const whole = (name, argv, cwd) => ({ name, argv, cwd, count: () => ({ passed: 1, failed: 0 }) });

/** Of one file: each failed test by its name and the first lines of why. */
function failuresIn({ name, message, assertionResults }) {
  const file = relative(root, name);
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const tests = failed.map(({ fullName, failureMessages }) => ({
    what: fullName,
    why: failureMessages.join("\n"),
  }));
  const all = tests.length > 0 || message === "" ? tests : [{ what: "the file", why: message }];
  return all.map(({ what, why }) => `${file}: ${what}\n${why.slice(0, REASON_CHARACTERS)}`);
}

const vitest = (name, args) => {
  const file = join(scratch, `${name.replaceAll(" ", "-")}.json`);
  return {
    name,
    argv: [
      "vitest",
      "run",
      ...args,
      "--reporter=default",
      "--reporter=json",
      `--outputFile.json=${file}`,
    ],
    count: () => {
      const result = JSON.parse(readFileSync(file, "utf8"));
      return {
        passed: result.numPassedTests,
        failed: result.numFailedTests,
        skipped: result.numPendingTests + result.numTodoTests,
        names: result.testResults.flatMap(failuresIn),
      };
    },
  };
};

const cargoTest = (name, cwd) => ({
  name,
  argv: ["cargo", "test", "--locked"],
  cwd,
  count: (output) => {
    const lines = [
      ...output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm),
    ];
    const sum = (group) => lines.reduce((total, line) => total + Number(line[group]), 0);
    return { passed: sum(1), failed: sum(2), skipped: sum(3) };
  },
});

const goTest = (name, cwd) => ({
  name,
  argv: ["go", "test", "-count=1", "-v", "./..."],
  cwd,
  quiet: true,
  count: (output) => ({
    passed: (output.match(/^\s*--- PASS/gm) ?? []).length,
    failed: (output.match(/^\s*--- FAIL/gm) ?? []).length,
    skipped: (output.match(/^\s*--- SKIP/gm) ?? []).length,
  }),
});

/** Five seconds for each parser: what it finds is a regression of what longer runs found before. */
const fuzz = {
  name: "fuzz",
  argv: ["node", "scripts/fuzz.mjs", "5"],
  count: (output) => {
    const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
    const skipped = (output.match(/^skipped:/gm) ?? []).length;
    return { passed: Number(passed), failed: Number(failed), skipped };
  },
};

const E2E = ["--config", "test/e2e/vitest.config.ts"];

/** With PostgreSQL, Redis and the upstream, where they are installed: `tailgate with` starts and stops them. */
function withServers(step) {
  if (quick || !serversInstalled()) return step;
  const config = join(root, "tailgate.full.yml");
  return {
    ...step,
    argv: ["node", cli, "with", "axum-api", "--config", config, "--", ...step.argv],
  };
}

function serversInstalled() {
  const found = (command) => spawnSync("sh", ["-c", command]).status === 0;
  const all =
    found("command -v redis-server") &&
    found("ls /usr/lib/postgresql/*/bin/postgres || command -v postgres");
  if (!all) {
    console.log(
      "postgresql or redis-server is not installed: tests that need them are skipped, and say so",
    );
  }
  return all;
}

const steps = [
  whole("format and lint", ["biome", "check", "--error-on-warnings"]),
  whole("types", ["tsc", "--noEmit"]),
  ...(quick
    ? []
    : [{ ...whole("load generator", ["node", "dist/cli.cjs", "setup"]), after: addToPath }]),
  vitest("unit tests", ["--project", "unit"]),
  vitest("simulations", ["--project", "simulated"]),
  vitest("tests with processes", ["--project", "live"]),
  whole("rust format", ["cargo", "fmt", "--check"], "services/axum-api"),
  whole(
    "rust lint",
    ["cargo", "clippy", "--locked", "--all-targets", "--", "-D", "warnings"],
    "services/axum-api",
  ),
  withServers(cargoTest("axum-api", "services/axum-api")),
  whole("go vet", ["go", "vet", "./..."], "services/gin-api"),
  withServers(goTest("gin-api", "services/gin-api")),
  whole("go vet, upstream", ["go", "vet", "./..."], "services/upstream"),
  goTest("upstream", "services/upstream"),
  ...(quick
    ? []
    : [
        withServers(vitest("contract, over sockets", [...E2E, "contract", "outage"])),
        vitest("end to end", [...E2E, "--exclude=**/{contract,outage}.e2e.test.ts"]),
        fuzz,
      ]),
  ...(withWorkflows
    ? [vitest("workflows under act", ["--config", "test/act/vitest.config.ts"])]
    : []),
];

const env = { ...process.env };

/** Tests that want the load generator find it on the PATH, installed or not. */
function addToPath({ output }) {
  const path = /^oha \S+ at (.+)$/m.exec(output)?.[1];
  if (path !== undefined) env.PATH = `${dirname(path)}:${env.PATH}`;
}

const run = ({ argv, cwd, quiet }) =>
  runChild(argv, {
    cwd,
    env,
    onOutput: (chunk, stream) => {
      if (!quiet) process[stream].write(chunk);
    },
  });

const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
for (const step of steps) {
  console.log(`\n== ${step.name}`);
  const started = performance.now();
  const { code, output } = await run(step);
  step.after?.({ output });
  let counted = { passed: 0, failed: 0, skipped: 0, names: [] };
  try {
    counted = { ...counted, ...step.count(output) };
  } catch (error) {
    console.error(`${step.name}: no result to count: ${error.message}`);
  }
  if (code !== 0 && counted.failed === 0) {
    counted = { passed: 0, failed: 1, skipped: 0, names: [] };
    if (step.quiet) console.log(output.split("\n").slice(-40).join("\n"));
  }
  if (counted.passed + counted.failed === 0) {
    console.error(`${step.name}: ran no test`);
    counted.failed = 1;
  }
  if (step.quiet && counted.failed > 0) console.log(output.split("\n").slice(-80).join("\n"));
  // What a quiet step skips is not kept quiet.
  if (step.quiet) {
    for (const line of new Set(output.match(/^.*\bskipped: .*$/gm))) console.log(line.trim());
  }
  for (const key of Object.keys(total)) total[key] += counted[key];
  if (counted.failed > 0) failures.push(`FAILED: ${step.name}`, ...counted.names);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(
    `-- ${step.name}: ${counted.passed} passed, ${counted.failed} failed, ${counted.skipped} skipped, ${seconds} s`,
  );
}
console.log(`\n${[...failures, `${total.skipped} skipped`].join("\n")}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 ? 0 : 1;
