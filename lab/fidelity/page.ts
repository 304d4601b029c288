// docs/fidelity.md from what was measured. Pure.
import {
  FAR_PROFILES,
  PROFILES,
  type Profile,
  trueQuantileUs,
} from "../../test/support/known-latency-profiles.ts";
import type { Cell, Results } from "./measure.ts";

const LEVELS = [0.5, 0.9, 0.99, 0.999] as const;
type Level = (typeof LEVELS)[number];
/** Fewer answers beyond a quantile, and it is those few answers. */
const THIN_BEYOND = 10;
/** What a quantile may be off by before the generator is said to be the limit. */
const CLOSE_SHARE = 0.05;
const CLOSE_US = 100;

const ms = (us: number): string => (us / 1000).toFixed(us < 10_000 ? 2 : 1);
const label = (p: number): string => `p${Number((p * 100).toFixed(1))}`;
const whole = (number: number): string => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

function isThin(cell: Cell, p: Level): boolean {
  return cell.answers * (1 - p) < THIN_BEYOND;
}

/**
 * The stalls end at 90 % exactly: a request more or less on one side moves that quantile to the
 * other.
 */
function isEdge(profile: Profile, p: Level): boolean {
  return profile.stall !== null && p === 0.9;
}

function isClose(profile: Profile, cell: Cell, p: Level): boolean {
  const truth = trueQuantileUs(profile, p);
  return Math.abs(cell.quantiles[p] - truth) <= Math.max(CLOSE_US, CLOSE_SHARE * truth);
}

function quantileText(profile: Profile, cell: Cell, p: Level): string {
  const value = cell.quantiles[p];
  const error = value - trueQuantileUs(profile, p);
  const text = `${ms(value)} (${error < 0 ? "−" : "+"}${ms(Math.abs(error))})`;
  if (isEdge(profile, p)) return `${text} edge`;
  if (isThin(cell, p)) return `${text} thin`;
  return isClose(profile, cell, p) ? text : `**${text}**`;
}

function cellRow(profile: Profile, cell: Cell): string {
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

function profileSection(profile: Profile, cells: readonly Cell[]): string {
  const own = cells.filter((cell) => cell.profile === profile.name);
  const truth = LEVELS.map((p) => `${label(p)} ${ms(trueQuantileUs(profile, p))}`).join(", ");
  const rows = own.map((cell) => `| ${cellRow(profile, cell)} |`);
  return `## ${profile.title}

Truth, in ms: ${truth}.

| rate /s | | p50 | p90 | p99 | p99.9 | p99 from the send | generator's own | server late, µs | generator's CPU | answers | discarded by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}`;
}

/** Nothing where none of it was measured. */
function waysSection(cells: readonly Cell[]): string {
  if (cells.length === 0) return "";
  const rows = cells.map((cell) => {
    const profile = profileNamed(cell.profile);
    const { parts = [], way, slices } = cell;
    const isShared = parts.every(({ requests, answers }) => requests === answers);
    return [
      typeof way === "number" ? `mix of ${way}` : way,
      profile.title,
      whole(cell.rateRps),
      ...LEVELS.map((p) => quantileText(profile, cell, p)),
      `${cell.floor.p50.toFixed(0)} / ${cell.floor.p99.toFixed(0)}`,
      whole(Math.round(slices[0]?.achievedRps ?? Number.NaN)),
      parts.length === 0 ? "" : isShared ? "to the request" : "missed",
      parts.map(({ p99Us }) => ms(p99Us)).join(", "),
      cell.void ?? "",
    ].join(" | ");
  });
  return `## Other transports, and mixes

By oha. Of the transports the server is one of Go's net/http, whose timers are a millisecond coarse, so that its latencies are longer. A mix of
two has nine requests to one, one of eight seven to one of each other; each part is a process of oha.

| through | truth | rate /s | p50 | p90 | p99 | p99.9 | server late, µs | rate kept /s | shares | p99 of each part | discarded by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}

`;
}

/** Of the quantiles that are neither thin nor on an edge. */
function tally(cells: readonly Cell[], generator: string) {
  const judged = cells
    .filter((cell) => cell.generator === generator && cell.void === null)
    .flatMap((cell) => {
      const profile = profileNamed(cell.profile);
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

function stallSentence(cells: readonly Cell[]): string {
  const profile = profileNamed("stalls");
  const own = cells.filter((cell) => cell.profile === "stalls" && cell.void === null);
  const span = (values: readonly number[]): string => {
    const [least, most] = [ms(Math.min(...values)), ms(Math.max(...values))];
    return least === most ? `${least} ms` : `${least} to ${most} ms`;
  };
  const lines = ["oha", "wrk2"].flatMap((generator) => {
    const mine = own.filter((cell) => cell.generator === generator);
    if (mine.length === 0) return [];
    const [corrected, omitted] = [
      span(mine.map(({ quantiles }) => quantiles[0.99])),
      span(mine.map(({ sinceSendP99Us }) => sinceSendP99Us ?? Number.NaN)),
    ];
    return [
      `- ${generator}: p99 ${corrected} over ${mine.length} rates. Counted from the send, as by a generator that waits for each answer: ${omitted}.`,
    ];
  });
  if (lines.length === 0) lines.push("Every cell of it would have been discarded in a gate.");
  return `A stall of 200 ms every 2 s delays a tenth of evenly spaced requests, by waits spread evenly up to 200 ms: the p99 is ${ms(trueQuantileUs(profile, 0.99))} ms.\n\n${lines.join("\n")}`;
}

function limitSentences(cells: readonly Cell[]): string {
  return ["oha", "wrk2"]
    .filter((generator) => cells.some((cell) => cell.generator === generator))
    .map((generator) => {
      const { of, close, median, voided } = tally(cells, generator);
      const voids =
        voided === 0
          ? ""
          : ` ${voided} of its cells would have been discarded in a gate: the last column says why.`;
      if (of === 0)
        return `- ${generator}: every cell would have been discarded in a gate: the last column says why.`;
      return `- ${generator}: ${close} of ${of} quantiles within ${CLOSE_US} µs or ${CLOSE_SHARE * 100} % of the truth, whichever is larger; median error ${ms(Math.abs(median))} ms ${median < 0 ? "too little" : "too much"}.${voids}`;
    })
    .join("\n");
}

export function renderFidelity({
  host,
  keptAwake,
  cpuSets,
  tools,
  measuredAt,
  seconds,
  cells: all,
}: Results): string {
  const cells = all.filter(({ way }) => way === undefined);
  const others = all.filter(({ way }) => way !== undefined);
  const { cpuModel, cpus, memoryGiB, kernel } = host.fingerprint;
  const lateness = cells.map(({ floor }) => floor.p99).sort((a, b) => a - b);
  return `# Fidelity: what the generators measure of a known truth

A server holds each request for a known time, then answers. This page compares what Tailgate takes from each generator with the truth: the
time from the ideal instant of an evenly spaced request to its answer, for a client that never waits. Errors include the generator's timers,
the exchange over loopback, the server's lateness, and whatever the machine did.

Machine: ${cpuModel}, ${cpus} CPUs, ${Math.round(memoryGiB)} GiB, kernel ${kernel}${host.fingerprint.virtual ? ", virtual" : ""}${keptAwake ? ", CPUs kept awake" : ""}; server on CPU ${cpuSets.service.join(",")}, generator on CPU ${cpuSets.generator.join(",")}; ${tools.join(", ")}.
Measured ${measuredAt.slice(0, 10)}, ${Math.round(seconds / 60)} minutes. Made by \`node lab/fidelity/fidelity.ts\` from [lab/fidelity](../lab/fidelity/).

- The server ([test/support/known-latency](../test/support/known-latency/)) wrote 99 % of its answers within ${(lateness[Math.floor(lateness.length / 2)] ?? Number.NaN).toFixed(0)} µs of when they were due in the
  median cell, within ${Math.max(...lateness).toFixed(0)} µs in the worst. Smaller errors may be its own.
- Latencies are in milliseconds, with the error in brackets. **Bold**: off by more than ${CLOSE_US} µs and more than ${CLOSE_SHARE * 100} %. *thin*: fewer than
  ${THIN_BEYOND} answers beyond the quantile. *edge*: the truth jumps there.
- *p99 from the send*: counted from when each request was written to its connection.
- *generator's own*: for oha the lag of its releases, which its latencies exclude; for wrk2 the mean beyond the mean from the send, which
  its latencies include.
- Each cell pools runs of 8 s, several below 2,000/s. Each connection has a turn every 12 to 80 ms.

## In short

${limitSentences(cells)}

## Coordinated omission

${stallSentence(cells)}

${PROFILES.map((profile) => profileSection(profile, cells)).join("\n\n")}

${waysSection(others)}## Why a generator is the limit

From their sources:

- **oha** counts from the release, which is late by about a millisecond. Above 1,000/s requests leave in batches, one per millisecond.
- Over HTTP/2, TLS and unix sockets **oha** keeps its rate and its correction, as its tests show; the tables are of HTTP/1.1. With TLS it
  pauses for 50 to 150 ms before its first handshake: the first 250 ms of such slices do not count.
- **wrk2** counts from the ideal instant, so its millisecond timers are in every latency.
- Each connection of **wrk2** has its own schedule: a slow request delays the next one on its connection. The fewer the connections, the
  heavier the measured tail. After a stall it sends its backlog at twice the rate, so more requests wait than arrived during the stall.
- **wrk2** does not record requests in flight at its end, and empties its histograms at 10 s ([ADR 9](adr/0009-wrk2.md)).
`;
}

function profileNamed(wanted: string): Profile {
  const profile = [...PROFILES, ...FAR_PROFILES].find(({ name }) => name === wanted);
  if (profile === undefined) throw new Error(`no profile ${wanted}`);
  return profile;
}
