// Changes one line of the decision rule at a time, in a copy, and runs the tests of src/verdict and src/stats: each change must turn one
// red. Writes docs/evidence/mutations.md; exits 1 when a change survives or its line is not there any more.
//
//   node scripts/mutate-decide.mjs [number…]     all of them take some minutes; with numbers only those rows are made again
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(root, "docs/evidence/mutations.md");
const DECIDE = "src/verdict/decide.ts";
const TRIM = "src/stats/trimmed-signed-rank.ts";
const COMPARE = "src/verdict/compare.ts";
const SHIFTS = "src/stats/trimmed-shifts.ts";

/** File, what is there, what is put in its place, what that does. */
const MUTATIONS = [
  [
    DECIDE,
    "regress: rule.alpha / (rule.hypotheses * regressLooks(rule).length)",
    "regress: rule.alpha / regressLooks(rule).length",
    "α is not shared among hypotheses",
  ],
  [
    DECIDE,
    "regress: rule.alpha / (rule.hypotheses * regressLooks(rule).length)",
    "regress: rule.alpha / rule.hypotheses",
    "α is not shared among looks",
  ],
  [DECIDE, "pass: rule.beta / rule.looks.length", "pass: rule.beta", "β is not shared among looks"],
  [
    DECIDE,
    "const MIN_ROUNDS_TO_REGRESS = 16;",
    "const MIN_ROUNDS_TO_REGRESS = 8;",
    "a regression may be called at any look",
  ],
  [
    DECIDE,
    "return late.length > 0 ? late : looks.slice(-1);",
    "return late;",
    "short plans have no look to regress at",
  ],
  [
    DECIDE,
    "const worse = Math.log1p(rule.tolerance) + drift;",
    "const worse = drift;",
    "nothing is tolerated",
  ],
  [
    DECIDE,
    "const worse = Math.log1p(rule.tolerance) + drift;",
    "const worse = Math.log1p(rule.tolerance) - drift;",
    "drift excuses nothing",
  ],
  [
    DECIDE,
    "const promised = Math.log1p(rule.promise) - drift;",
    "const promised = Math.log1p(rule.promise);",
    "a pass forgets the drift",
  ],
  [
    DECIDE,
    "const floor = Math.log1p(rule.floor);",
    "const floor = 0;",
    "sure but small changes block",
  ],
  [DECIDE, "if (p > level) return p;", "return p;", "the test at the border alone decides"],
  [
    DECIDE,
    "trimmedP(d, shift, direction, level * easing) / easing",
    "trimmedP(d, shift, direction, level * easing) / (easing * easing)",
    "the test of all shifts is held against nothing",
  ],
  [
    DECIDE,
    "if (n > evidence.rounds) break;",
    "if (n > evidence.rounds + 1) break;",
    "a look is taken before its rounds are there",
  ],
  [
    DECIDE,
    "blocking.has(n) && look.pRegress",
    "look.pRegress",
    "looks that α was not shared for call regressions",
  ],
  [
    DECIDE,
    "if (look.pPass <= thresholds.pass) return",
    "if (look.pPass < 1) return",
    "anything passes",
  ],
  [
    DECIDE,
    "look.pRegress <= thresholds.regress && look.estimate >= floor",
    "look.pRegress <= thresholds.regress || look.estimate >= floor",
    "an estimate alone blocks",
  ],
  [
    DECIDE,
    'pRegress: evidence.p({ rounds, shift: worse, direction: "+", ...toRegress })',
    'pRegress: evidence.p({ rounds, shift: worse, direction: "-", ...toRegress })',
    "faster is slower",
  ],
  [
    DECIDE,
    'pPass: evidence.p({ rounds, shift: promised, direction: "-", ...toPass })',
    'pPass: evidence.p({ rounds, shift: worse, direction: "-", ...toPass })',
    "a pass must show less than is tolerated",
  ],
  [
    DECIDE,
    "const level = rule.beta / rule.hypotheses;",
    "const level = rule.beta;",
    "good news at the level of one hypothesis",
  ],
  [
    DECIDE,
    "return p <= level && estimate <= -floor;",
    "return p <= level;",
    "good news without a floor",
  ],
  [
    DECIDE,
    'improved: state === "pass" && isImproved(look)',
    "improved: isImproved(look)",
    "what did not pass may be good news",
  ],
  [
    DECIDE,
    "return rankSumUpperTail(y, x, -shift);",
    "return rankSumUpperTail(y, x, shift);",
    "the sign of a shift, unpaired",
  ],
  [
    DECIDE,
    "const usable = reference.length > 0 && [...candidate, ...reference].every(positive);",
    "const usable = reference.length > 0;",
    "values without a logarithm count",
  ],
  [TRIM, "TRIM_MADS = 5", "TRIM_MADS = 50", "nothing is trimmed"],
  [TRIM, "TRIM_MADS = 5", "TRIM_MADS = 2", "more is trimmed"],
  [
    SHIFTS,
    "return Math.max(lower, largestP(centre, high, Math.max(lower, ignored), splits - 1));",
    "return lower;",
    "half of a cell is not searched",
  ],
  [
    SHIFTS,
    "for (let i = edges.length - 1; i > 0 && p <= enough; i--) {",
    "for (let i = edges.length - 1; i > edges.length - 2 && p <= enough; i--) {",
    "only the nearest shifts are searched",
  ],
  [
    DECIDE,
    "last?.rounds === evidence.rounds ? last : takeLook(evidence.rounds)",
    "last ?? takeLook(evidence.rounds)",
    "what is open forgets the rounds after its last look",
  ],
  [
    COMPARE,
    "return Math.max(floor, absoluteFloor / median(levels));",
    "return Math.min(floor, absoluteFloor / median(levels));",
    "the absolute floor lowers the relative one",
  ],
  [
    COMPARE,
    "const levels = series.slice(0, firstLook).map(({ reference }) => reference);",
    "const levels = series.map(({ reference }) => reference);",
    "later rounds move the floor of earlier looks",
  ],
];

/** Asked in this order, until something is red: the rule's own examples, the simulations, references and properties, everything that is built on the rule. */
const TESTS = [
  ["src/verdict/decide.test.ts"],
  ["src/verdict/simulation", "src/verdict/decide-simulation"],
  ["src/stats/reference", "src/stats/trimmed", "src/verdict/effective-floor", "src/verdict/judge"],
  ["src/verdict", "src/stats", "--exclude", "**/*simulation*"],
];

function copyOfSources() {
  const folder = mkdtempSync(join(tmpdir(), "tailgate-mutate-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const name of [
    "src",
    "test",
    "scripts",
    "docs",
    "package.json",
    "vitest.config.ts",
    "tsconfig.json",
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** Names of the tests that fail, of the first group that has any. */
function failing(folder) {
  for (const group of TESTS) {
    const names = red(folder, group);
    if (names.length > 0) return names;
  }
  return [];
}

function red(folder, selected) {
  const out = join(folder, "result.json");
  rmSync(out, { force: true });
  spawnSync(
    "vitest",
    ["run", "--project", "!live", "--reporter=json", `--outputFile=${out}`, ...selected],
    { cwd: folder, stdio: "ignore" },
  );
  const { testResults } = JSON.parse(readFileSync(out, "utf8"));
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = name.slice(folder.length + 1);
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (failed.length === 0) return status === "failed" ? [`${file}: does not load`] : [];
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
}

const only = process.argv.slice(2).map(Number);
const folder = copyOfSources();
const green = failing(folder);
if (green.length > 0) throw new Error(`tests fail without any change: ${green.join("; ")}`);
const rows = only.length === 0 ? new Map() : writtenRows();
for (const [i, mutation] of MUTATIONS.entries()) {
  if (only.length > 0 && !only.includes(i + 1)) continue;
  rows.set(i + 1, rowOf(i + 1, mutation));
  console.error(rows.get(i + 1));
}
const all = [...rows].sort(([a], [b]) => a - b).map(([, row]) => row);
const survived = all.filter((row) => row.includes("**none**")).length;
writeFileSync(PAGE, renderPage(all, survived));
process.exitCode = survived === 0 ? 0 : 1;

function rowOf(number, [file, from, to, what]) {
  const path = join(folder, file);
  const text = readFileSync(path, "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have exactly once: ${from}`);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const names = failing(folder);
  writeFileSync(path, text);
  const [seen = "**none**"] = names;
  const cells = [
    String(number),
    what,
    `\`${file.split("/").at(-1)}\`: \`${to}\``,
    String(names.length),
    seen,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** As they are in the page. */
function writtenRows() {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const number = /^\| (\d+) \|/.exec(line)?.[1];
      return number === undefined ? [] : [[Number(number), line]];
    }),
  );
}

function renderPage(lines, unseen) {
  return `# One line of the decision rule changed at a time

Made by \`node scripts/mutate-decide.mjs\`: each change is made in a copy, and the unit tests of \`src/verdict\` and \`src/stats\` are asked in groups (the rule's
own, the simulations, references and properties, all others) until one turns red. ${lines.length} changes, ${unseen} of them seen by no test.

| | what it does | the line as changed | red tests of that group | one of them |
|---|---|---|---|---|
${lines.join("\n")}
`;
}
