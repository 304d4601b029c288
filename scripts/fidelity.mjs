// What each load generator measures of a server whose latencies are known: docs/fidelity.md, from docs/fidelity/.
//
//   node scripts/fidelity.mjs             writes docs/fidelity.md from docs/fidelity/results.json.gz
//   node scripts/fidelity.mjs measure     measures first (about ten minutes; nothing else may run meanwhile)
//
// Needs Go, and oha and wrk2 on PATH: a generator that is not there is left out.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { PROFILES, trueQuantileUs } from "../test/support/known-latency-profiles.ts";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stored = join(root, "docs/fidelity/results.json.gz");

const LEVELS = [0.5, 0.9, 0.99, 0.999];
/** Fewer answers beyond a quantile, and it is those few answers. */
const THIN_BEYOND = 10;
/** What a quantile may be off by before the generator is said to be the limit. */
const CLOSE_SHARE = 0.05;
const CLOSE_US = 100;

const ms = (us) => (us / 1000).toFixed(us < 10_000 ? 2 : 1);
const label = (p) => `p${Number((p * 100).toFixed(1))}`;
const whole = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

function isThin(cell, p) {
  return cell.answers * (1 - p) < THIN_BEYOND;
}

/** The stalls end at 90 % exactly: a request more or less on one side moves that quantile to the other. */
function isEdge(profile, p) {
  return profile.stall !== null && p === 0.9;
}

function isClose(profile, cell, p) {
  const truth = trueQuantileUs(profile, p);
  return Math.abs(cell.quantiles[p] - truth) <= Math.max(CLOSE_US, CLOSE_SHARE * truth);
}

function quantileText(profile, cell, p) {
  const value = cell.quantiles[p];
  const error = value - trueQuantileUs(profile, p);
  const text = `${ms(value)} (${error < 0 ? "−" : "+"}${ms(Math.abs(error))})`;
  if (isEdge(profile, p)) return `${text} edge`;
  if (isThin(cell, p)) return `${text} thin`;
  return isClose(profile, cell, p) ? text : `**${text}**`;
}

function cellRow(profile, cell) {
  const { lagP99Us, slackUs } = cell;
  const own =
    lagP99Us !== null ? `${ms(lagP99Us)} p99` : slackUs !== null ? `${ms(slackUs)} mean` : "";
  return [
    whole(cell.rateRps),
    cell.generator,
    ...LEVELS.map((p) => quantileText(profile, cell, p)),
    cell.sinceSendP99Us === null ? "" : ms(cell.sinceSendP99Us),
    own,
    `${cell.floor.p50.toFixed(0)} / ${cell.floor.p99.toFixed(0)}`,
    `${Math.round(cell.generatorShare * 100)} %`,
    whole(cell.answers),
    cell.void === null ? "" : cell.void,
  ].join(" | ");
}

function profileSection(profile, cells) {
  const own = cells.filter((cell) => cell.profile === profile.name);
  const truth = LEVELS.map((p) => `${label(p)} ${ms(trueQuantileUs(profile, p))}`).join(", ");
  const rows = own.map((cell) => `| ${cellRow(profile, cell)} |`);
  return `## ${profile.title}

Truth, in ms: ${truth}.

| rate /s | | p50 | p90 | p99 | p99.9 | p99 from the send | generator's own | server late, µs | generator's CPU | answers | void by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}`;
}

/** Of the quantiles that are neither thin nor on an edge. */
function tally(cells, generator) {
  const judged = cells
    .filter((cell) => cell.generator === generator && cell.void === null)
    .flatMap((cell) => {
      const profile = PROFILES.find(({ name }) => name === cell.profile);
      return LEVELS.filter((p) => !isThin(cell, p) && !isEdge(profile, p)).map((p) => ({
        close: isClose(profile, cell, p),
        error: cell.quantiles[p] - trueQuantileUs(profile, p),
      }));
    });
  const errors = judged.map(({ error }) => error).sort((a, b) => a - b);
  return {
    of: judged.length,
    close: judged.filter(({ close }) => close).length,
    median: errors[Math.floor(errors.length / 2)] ?? Number.NaN,
    voided: cells.filter((cell) => cell.generator === generator && cell.void !== null).length,
  };
}

function stallSentence(cells) {
  const profile = PROFILES.find(({ name }) => name === "stalls");
  const own = cells.filter((cell) => cell.profile === "stalls" && cell.void === null);
  const span = (values) => {
    const sorted = [...values].sort((a, b) => a - b);
    const [least, most] = [ms(sorted[0]), ms(sorted.at(-1))];
    return least === most ? `${least} ms` : `${least} to ${most} ms`;
  };
  const lines = ["oha", "wrk2"].flatMap((generator) => {
    const mine = own.filter((cell) => cell.generator === generator);
    if (mine.length === 0) return [];
    const [corrected, omitted] = [
      span(mine.map(({ quantiles }) => quantiles[0.99])),
      span(mine.map(({ sinceSendP99Us }) => sinceSendP99Us)),
    ];
    return [
      `- ${generator}: p99 ${corrected} over ${mine.length} rates. Counted from the send instead, as a generator does that waits for answers before it asks again: ${omitted}.`,
    ];
  });
  if (lines.length === 0) lines.push("No cell of it would have counted in a gate.");
  return `A stall of 200 ms every 2 s meets a tenth of evenly spaced requests, and their wait is spread evenly over it: the p99 is ${ms(trueQuantileUs(profile, 0.99))} ms.\n\n${lines.join("\n")}`;
}

function limitSentences(cells) {
  return ["oha", "wrk2"]
    .filter((generator) => cells.some((cell) => cell.generator === generator))
    .map((generator) => {
      const { of, close, median, voided } = tally(cells, generator);
      const voids =
        voided === 0
          ? ""
          : ` ${voided} of its cells would not have counted in a gate: the last column says why.`;
      if (of === 0)
        return `- ${generator}: no cell would have counted in a gate: the last column says why.`;
      return `- ${generator}: ${close} of ${of} quantiles within ${CLOSE_US} µs or ${CLOSE_SHARE * 100} % of the truth, whichever is more; median error ${ms(Math.abs(median))} ms ${median < 0 ? "too little" : "too much"}.${voids}`;
    })
    .join("\n");
}

function render({ host, keptAwake, cpuSets, tools, measuredAt, seconds, cells }) {
  const { cpuModel, cpus, memoryGiB, kernel } = host.fingerprint;
  const lateness = cells.map(({ floor }) => floor.p99).sort((a, b) => a - b);
  return `# Fidelity: what the generators measure of a known truth

A server holds each request for a time from a table whose distribution has a closed form, and answers. What a generator measures of
it, as Tailgate takes it from that generator, stands here beside the truth: the time from the ideal instant of an evenly spaced request to
its answer, with a client that never waits. So an error holds the generator's own timers, the exchange over loopback, the
server's lateness, and whatever the machine did.

Machine: ${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}${host.fingerprint.virtual ? ", virtual" : ""}${keptAwake ? ", CPUs kept awake" : ""}; server on CPU ${cpuSets.service.join(",")}, generator on CPU ${cpuSets.generator.join(",")}; ${tools.join(", ")}.
Measured ${measuredAt.slice(0, 10)}, ${Math.round(seconds / 60)} minutes. Made by \`node scripts/fidelity.mjs\` from [fidelity/](fidelity/).

- The server ([test/support/known-latency](../test/support/known-latency/)) times its own answers: it wrote 99 % of them within ${lateness[Math.floor(lateness.length / 2)].toFixed(0)} µs of when they were due in the
  median cell, and within ${lateness.at(-1).toFixed(0)} µs in the worst. That is the floor of this page. It cannot see how long a request lay in the socket before it was woken.
- Latencies are in milliseconds, with the error in brackets. **Bold**: off by more than ${CLOSE_US} µs and more than ${CLOSE_SHARE * 100} %. *thin*: fewer than ${THIN_BEYOND} answers beyond the
  quantile. *edge*: the truth jumps there.
- *p99 from the send*: the same requests counted from when each was written to its connection.
- *generator's own*: for oha, how late requests were released behind the schedule, which is in the page's truth and not in oha's latencies;
  for wrk2, by how much its mean is above the mean from the send, which is in its latencies.
- 8 s for each cell and more below 2,000/s, pooled from runs of 8 s; as many connections as make each one's turn come every 12 to 80 ms.

## In short

${limitSentences(cells)}

## Coordinated omission

${stallSentence(cells)}

${PROFILES.map((profile) => profileSection(profile, cells)).join("\n\n")}

## Why a generator is the limit

As its source has it; the tables above show how much of it there is.

- **oha** counts from the release, and its timers tick in milliseconds: a release is late by a millisecond more or less, which no latency of
  it holds. A client that sent on time would have waited no longer. Above 1,000/s requests leave in batches, one batch a millisecond.
- **wrk2** counts from the ideal instant, so that its own timers of milliseconds are in every latency.
- Each connection of **wrk2** has its own schedule. A request that takes longer than the connection's turn delays the next one on it, which an
  independent client would have sent elsewhere: tails come out heavier than they are, the more the fewer the connections. oha takes any
  connection that is free.
- After a stall **wrk2** sends what it owes at twice the rate of its schedule, so that the backlog lasts about as long again as the stall, and
  more requests have waited than those that came in it.
- **wrk2** does not record what is under way when it ends, and forgets everything at 10 s: runs are 1 to 8 s, and slices with more missing than
  two requests a connection are void.
`;
}

const [mode] = process.argv.slice(2);
if (mode === "measure") {
  const { measureFidelity } = await import("./fidelity-measure.mjs");
  const results = await measureFidelity((line) => console.log(line));
  mkdirSync(dirname(stored), { recursive: true });
  writeFileSync(stored, gzipSync(JSON.stringify(results), { level: 9 }));
}
if (!existsSync(stored)) {
  console.error("docs/fidelity/ holds no results yet: node scripts/fidelity.mjs measure");
  process.exit(1);
}
const results = JSON.parse(gunzipSync(readFileSync(stored)).toString("utf8"));
writeFileSync(join(root, "docs/fidelity.md"), render(results));
