// How large the history's branch becomes: five years of nights with 40 series, appended one by one by
// the real store to a fake GitHub over real git.
//
//   node lab/bench/history.ts [NIGHTS]     some minutes
//
// Exits 1 when a clone of the branch would fetch more than 3 MiB.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gitStore } from "../../src/action/history/git-store.ts";
import { createPrng } from "../../src/core/base/prng.ts";
import { renderRecord } from "../../src/core/history/layout.ts";
import type { HistoryPoint, HistoryRecord } from "../../src/core/model/history.ts";
import { meet, SEED } from "../../test/fake-github/testing.ts";
import { nightOf, tipOf } from "../../test/support/history.ts";

const MOST_MIB = 3;
const REF = "tailgate-history";
const nights = Number(process.argv[2] ?? 5 * 365);

const { next } = createPrng(1);
const SCENARIOS = ["list", "search", "create", "report"];
/** Four scenarios of four services by two metrics, and two of each service. */
const SERIES = ["shop", "stock", "mail", "login"].flatMap((service) => [
  ...SCENARIOS.flatMap((name) => ["p99", "p99Typical"].map((key) => `${service}/${name}/${key}`)),
  ...["rss", "start"].map((key) => `${service}/${key}`),
]);

const digits = (value: number): number => Number(value.toPrecision(4));
const decimals = (value: number): number => Number(value.toFixed(5));

/** Numbers as noise has them: nothing of one night tells those of the next. */
function pointOf(series: string): HistoryPoint {
  const level = 100 + 37 * SERIES.indexOf(series);
  const estimate = (next() - 0.5) / 20;
  const half = 0.01 + next() / 50;
  return {
    candidate: digits(level * (0.95 + next() / 10)),
    anchor: digits(level * (0.95 + next() / 10)),
    ratio: {
      estimate: decimals(estimate),
      low: decimals(estimate - half),
      high: decimals(estimate + half),
    },
    rounds: 12 + Math.floor(next() * 20),
    detectable: decimals(0.02 + next() / 50),
  };
}

const sha = (): string =>
  Array.from({ length: 5 }, () =>
    Math.floor(next() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");

function recordOf(day: number): HistoryRecord {
  const record = nightOf({ day, run: sha().slice(0, 8), commit: sha(), anchorCommit: tipOf(0) });
  const names = SERIES.map((id) => id.split("/").slice(0, -1).join("/"));
  return {
    ...record,
    commit: { ...record.commit, parent: sha() },
    workloads: Object.fromEntries(names.map((name) => [name, "298e49be41710642"])),
    series: Object.fromEntries(SERIES.map((id) => [id, pointOf(id)])),
  };
}

const git = mkdtempSync(join(tmpdir(), "tailgate-history-"));
execFileSync("git", ["init", "--quiet", "--bare", git]);
await using met = await meet({ seed: { ...SEED, git } });
const clock = { sleep: async () => {} };
const store = gitStore({ github: met.github, ref: REF, clock, log: console.log });
let bytes = 0;
for (let day = 0; day < nights; day++) {
  const record = recordOf(day);
  bytes += Buffer.byteLength(renderRecord(record));
  await store.append([record]);
}

const run = (args: string[], input = ""): Buffer =>
  execFileSync("git", ["--git-dir", git, ...args], { input, maxBuffer: 2 ** 30 });
/** What a clone of these commits fetches. */
function packMib(commits: string, ...how: string[]): number {
  const objects = run(["rev-list", "--objects", "--stdin"], commits).toString();
  const names = objects.replaceAll(/^([0-9a-f]{40}) ?/gm, "$1 ");
  return run(["pack-objects", "--stdout", "--quiet", ...how], names).length / 2 ** 20;
}

const kinds = run(["cat-file", "--batch-all-objects", "--batch-check"]).toString();
const every = [...kinds.matchAll(/^([0-9a-f]{40}) commit/gm)].map(([, id]) => `${id}\n`).join("");
const squashed = packMib(`${REF}\n`);
const mib = (value: number): string => `${value.toFixed(1)} MiB`;
console.log(
  `${nights} nights of ${SERIES.length} series, ${(bytes / nights / 1000).toFixed(1)} kB each: ` +
    `${mib(packMib(every))} with every commit, ` +
    `${mib(packMib(every, "--window=250", "--depth=250"))} packed as tight as git can, ` +
    `${mib(squashed)} as it is kept`,
);
rmSync(git, { recursive: true });
process.exitCode = squashed > MOST_MIB ? 1 : 0;
