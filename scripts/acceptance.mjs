// The longer suite: this repository's own configuration, the real command, exact amounts. Nothing else may run meanwhile.
//
//   node scripts/acceptance.mjs aa [gates]     A/A gates one after another (default 10), short configuration: none may be red
//   node scripts/acceptance.mjs planted        +20 % p99 on one route of one service; +10 % RSS of one service
//
// Each gate's samples are kept under .tailgate/acceptance/. Prints a Markdown table; exits 1 when a gate answered wrongly.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const keep = join(root, ".tailgate/acceptance");
const cli = join(root, "dist/cli.cjs");

/** A clone of HEAD in a folder of its own, so that plants never touch this checkout. */
function clone() {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-acceptance-"));
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, folder]);
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function gate(folder, name, args) {
  const out = join(folder, ".tailgate");
  const started = performance.now();
  const result = spawnSync(process.execPath, [cli, "gate", "--reference", "HEAD", ...args], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const minutes = (performance.now() - started) / 60_000;
  const report = JSON.parse(readFileSync(join(out, "report.v1.json"), "utf8"));
  mkdirSync(keep, { recursive: true });
  cpSync(join(out, "samples.v1.json"), join(keep, `${name}.samples.v1.json`));
  return { name, code: result.status, minutes, report };
}

const gated = (report) => report.verdict.comparisons.filter(({ level }) => level === "gate");
const inState = (report, state) =>
  gated(report)
    .filter((comparison) => comparison.state === state)
    .map(({ id }) => id)
    .sort();
const percent = (log) => (log === null ? "?" : `${(Math.expm1(log) * 100).toFixed(1)} %`);

/** One value into one service's environment, in the working tree only. */
function plant(folder, service, faults) {
  const path = join(folder, "tailgate.yml");
  const text = readFileSync(path, "utf8");
  const env = new RegExp(`(\\n  ${service}:\\n(?:    .*\\n)*?    env:\\n)`);
  if (!env.test(text)) throw new Error(`tailgate.yml has no env block under ${service}`);
  writeFileSync(path, text.replace(env, `$1      TAILGATE_FAULTS: "${faults}"\n`));
}

function restore(folder) {
  execFileSync("git", ["checkout", "--quiet", "tailgate.yml"], { cwd: folder });
}

function aa(count) {
  const folder = clone();
  const rows = [];
  for (let i = 1; i <= count; i++) {
    const result = gate(folder, `aa-${String(i).padStart(2, "0")}`, [
      "--time-budget",
      "4m",
      "--service",
      i % 2 === 0 ? "gin-api" : "axum-api",
    ]);
    rows.push(result);
    const { verdict, run } = result.report;
    console.log(
      `| ${i} | ${verdict.state} | ${result.code} | ${result.minutes.toFixed(1)} | ${gated(
        result.report,
      )
        .map(
          (c) =>
            `${c.id}: ${percent(c.estimate)}, ${c.rounds} rounds, sd ${c.sd === null ? "?" : c.sd.toFixed(3)}`,
        )
        .join("<br>")} | ${run.voidSlices}/${run.slices} |`,
    );
  }
  return rows.every(({ report }) => report.verdict.state !== "regressed");
}

function planted() {
  const folder = clone();
  const first = gate(folder, "level", ["--time-budget", "2m"]);
  const level = (id) => gated(first.report).find((comparison) => comparison.id === id)?.reference;
  const cases = [
    [
      "gin-api",
      "gin-api/echo",
      (name) => `route=/echo,latency_us=${Math.round(0.2 * level(`${name}/echo p99 typical`))}`,
      /^gin-api\/echo p99/,
    ],
    [
      "axum-api",
      "axum-api/echo",
      (name) => `route=/echo,latency_us=${Math.round(0.2 * level(`${name}/echo p99 typical`))}`,
      /^axum-api\/echo p99/,
    ],
    [
      "axum-api",
      "axum-api rss",
      (name) => `keep_bytes=${Math.round(0.1 * level(`${name} rss`))}`,
      /^axum-api rss$/,
    ],
    [
      "gin-api",
      "gin-api rss",
      (name) => `keep_bytes=${Math.round(0.1 * level(`${name} rss`))}`,
      /^gin-api rss$/,
    ],
  ];
  let ok = true;
  for (const [service, target, faults, expected] of cases) {
    const value = faults(service);
    plant(folder, service, value);
    const result = gate(folder, `planted-${target.replaceAll(/[/ ]/g, "-")}`, []);
    restore(folder);
    const red = inState(result.report, "regressed");
    const right = result.code === 1 && red.length > 0 && red.every((id) => expected.test(id));
    ok &&= right;
    const shown = gated(result.report)
      .filter(({ id }) => red.includes(id))
      .map((c) => `${c.id} ${percent(c.estimate)} after ${c.rounds} rounds`)
      .join("<br>");
    console.log(
      `| ${target}: ${value} | ${result.report.verdict.state} | ${result.code} | ${shown} | ${result.minutes.toFixed(1)} | ${right ? "as planted" : "WRONG"} |`,
    );
  }
  return ok;
}

const [what, count = "10"] = process.argv.slice(2);
let ok = false;
if (what === "aa") {
  console.log("| gate | verdict | exit | minutes | gated | void |\n|---|---|---|---|---|---|");
  ok = aa(Number(count));
} else if (what === "planted") {
  console.log("| planted | verdict | exit | called | minutes | |\n|---|---|---|---|---|---|");
  ok = planted();
} else {
  console.error("usage: node scripts/acceptance.mjs aa [gates] | planted");
}
process.exitCode = ok ? 0 : 1;
