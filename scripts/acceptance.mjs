// The longer suite: the real command on a clone, exact amounts. Nothing else may run meanwhile.
//
//   node scripts/acceptance.mjs aa [gates]     A/A gates one after another (default 10), short rounds, the usual 1 % of false
//                                              alarms: none may be red
//   node scripts/acceptance.mjs planted report.v1.json [service]
//                                              this repository's own configuration; in each gate +20 % p99 of /echo of one
//                                              service and +10 % RSS of the other: exactly these must be red. The levels are
//                                              those of the report of an A/A run. Delay that makes +20 % is found first, since
//                                              requests queue behind a delayed one. A service: only the gate in which it is slow
//
// Each gate's samples are kept under .tailgate/acceptance/. Prints a Markdown table; exits 1 when a gate answered wrongly.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shortConfiguration } from "../test/e2e/configuration.ts";
import { FIT_ROUNDS, nextTrial } from "./evidence/size.ts";
import {
  changeTree,
  cloneHead,
  outputOf,
  ROOT,
  restoreTree,
  runProgram,
  UNCHANGED,
} from "./evidence/working-copy.ts";

const keep = join(ROOT, ".tailgate/acceptance");

async function gate(folder, name, args) {
  const { exitCode, minutes } = await runProgram(folder, { command: "gate", args });
  const report = JSON.parse(readFileSync(outputOf(folder, "report.v1.json"), "utf8"));
  mkdirSync(keep, { recursive: true });
  cpSync(outputOf(folder, "samples.v1.json"), join(keep, `${name}.samples.v1.json`));
  return { name, code: exitCode, minutes, report };
}

const gated = (report) => report.verdict.comparisons.filter(({ level }) => level === "gate");
const inState = (report, state) =>
  gated(report)
    .filter((comparison) => comparison.state === state)
    .map(({ id }) => id)
    .sort();
const percent = (log) => (log === null ? "?" : `${(Math.expm1(log) * 100).toFixed(1)} %`);

async function aa(count) {
  const folder = cloneHead();
  const rows = [];
  for (let i = 1; i <= count; i++) {
    const services = [i % 2 === 0 ? "gin-api" : "axum-api"];
    const text = shortConfiguration({
      services,
      scenarios: ["echo"],
      looks: [8, 12, 16, 20],
      alpha: "1%",
    });
    writeFileSync(join(folder, "short.yml"), text);
    const result = await gate(folder, `aa-${String(i).padStart(2, "0")}`, [
      "--config",
      "short.yml",
    ]);
    rows.push(result);
    const { verdict, run } = result.report;
    const cells = gated(result.report).map(
      (c) =>
        `${c.id}: ${percent(c.estimate)}, ${c.rounds} rounds, sd ${c.sd === null ? "?" : c.sd.toFixed(3)}`,
    );
    console.log(
      `| ${i} | ${verdict.state} | ${result.code} | ${result.minutes.toFixed(1)} | ${cells.join("<br>")} | ${run.voidSlices}/${run.slices} |`,
    );
  }
  return rows.every(({ report }) => report.verdict.state !== "regressed");
}

/** The level that +20 % and +10 % are taken from: `--level` samples, measured on the unchanged services before. */
function levels(path) {
  const { verdict } = JSON.parse(readFileSync(path, "utf8"));
  return (id) => verdict.comparisons.find((comparison) => comparison.id === id).reference;
}

const WANTED = 0.2;

/** Microseconds on each request of /echo that make its p99 a fifth longer, in two steps. */
async function fitLatencyUs(folder, service, p99Us) {
  let latest = null;
  for (let step = 1; ; step++) {
    const latencyUs = nextTrial(WANTED, p99Us, latest);
    if (step > 2) return latencyUs;
    changeTree(folder, {
      ...UNCHANGED,
      faults: [{ service, faults: `route=/echo,latency_us=${latencyUs}` }],
      looks: [FIT_ROUNDS],
    });
    const { report } = await gate(folder, `fit-${service}-${step}`, ["--service", service]);
    restoreTree(folder);
    const { estimate } = report.verdict.comparisons.find(
      ({ id }) => id === `${service}/echo p99 typical`,
    );
    console.error(`${service}/echo +${latencyUs} µs: p99 ${percent(estimate)}`);
    if (Math.abs(estimate - Math.log1p(WANTED)) < 0.03) return latencyUs;
    latest = { latencyUs, logRatio: estimate, rounds: FIT_ROUNDS };
  }
}

async function planted(reportOfLevel, pairs) {
  const folder = cloneHead();
  const level = levels(reportOfLevel);
  let ok = true;
  for (const [slow, heavy] of pairs) {
    const latencyUs = await fitLatencyUs(folder, slow, level(`${slow}/echo p99 typical`));
    const bytes = Math.round(0.1 * level(`${heavy} rss`));
    const faults = [
      { service: slow, faults: `route=/echo,latency_us=${latencyUs}` },
      { service: heavy, faults: `keep_bytes=${bytes}` },
    ];
    changeTree(folder, { ...UNCHANGED, faults });
    const result = await gate(folder, `planted-${slow}`, ["--time-budget", "15m"]);
    restoreTree(folder);
    const red = inState(result.report, "regressed");
    const expected = [`${slow}/echo p99 typical`, `${heavy} rss`];
    // The pooled p99 of the same route may be red as well.
    const allowed = [...expected, `${slow}/echo p99 pooled`];
    const right =
      result.code === 1 &&
      expected.every((id) => red.includes(id)) &&
      red.every((id) => allowed.includes(id));
    ok &&= right;
    const cells = gated(result.report).map(
      (c) =>
        `${c.id}: ${c.state}, ${percent(c.estimate)}, ${c.rounds} rounds, sd ${c.sd === null ? "?" : c.sd.toFixed(3)}`,
    );
    console.log(
      `| ${slow}/echo +${latencyUs} µs, ${heavy} +${bytes} B | ${result.report.verdict.state} | ${result.code} | ${cells.join("<br>")} | ${result.minutes.toFixed(1)} | ${right ? "as planted" : "WRONG"} |`,
    );
  }
  return ok;
}

const BOTH = [
  ["gin-api", "axum-api"],
  ["axum-api", "gin-api"],
];

const [what, argument] = process.argv.slice(2);
let ok = false;
if (what === "aa") {
  console.log("| gate | verdict | exit | minutes | gated | void |\n|---|---|---|---|---|---|");
  ok = await aa(Number(argument ?? 10));
} else if (what === "planted" && argument !== undefined) {
  const only = process.argv[4];
  console.log("| planted | verdict | exit | gated | minutes | |\n|---|---|---|---|---|---|");
  ok = await planted(argument, only === undefined ? BOTH : BOTH.filter(([slow]) => slow === only));
} else {
  console.error(
    "usage: node scripts/acceptance.mjs aa [gates] | planted <report.v1.json of an A/A run> [service]",
  );
}
process.exitCode = ok ? 0 : 1;
