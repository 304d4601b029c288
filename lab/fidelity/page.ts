// The page of fidelity from what was measured. Pure.
import {
  PROFILES,
  type Profile,
  profileNamed,
  trueQuantileUs,
} from "../../test/support/known-latency-profiles.ts";
import type { Cell } from "./cell.ts";
import type { Results } from "./measure.ts";
import { mixNamed, mixSection, transportSection } from "./other-ways.ts";
import {
  CLOSE_SHARE,
  CLOSE_US,
  isClose,
  isThin,
  LEVELS,
  lateText,
  machineLines,
  ms,
  quantileText,
  type Seen,
  THIN_BEYOND,
  type Truth,
  truthOf,
  truthOfMix,
  truthText,
  whole,
} from "./text.ts";

function cellRow(profile: Profile, cell: Cell): string {
  const { lagP99Us, slackUs } = cell;
  const own =
    lagP99Us !== null ? `${ms(lagP99Us)} p99` : slackUs !== null ? `${ms(slackUs)} mean` : "";
  return [
    whole(cell.rateRps),
    cell.generator,
    ...LEVELS.map((p) => quantileText(truthOf(profile), cell, p)),
    cell.sinceSendP99Us === null ? "" : ms(cell.sinceSendP99Us),
    own,
    lateText(cell),
    `${Math.round(cell.generatorShare * 100)} %`,
    whole(cell.answers),
    cell.void === null ? "" : cell.void,
  ].join(" | ");
}

function profileSection(profile: Profile, cells: readonly Cell[]): string {
  const own = cells.filter((cell) => cell.profile === profile.name);
  const rows = own.map((cell) => `| ${cellRow(profile, cell)} |`);
  return `## ${profile.title}

Truth, in ms: ${truthText(truthOf(profile))}.

| rate /s | | p50 | p90 | p99 | p99.9 | p99 from the send | generator's own | server late, µs | generator's CPU | answers | discarded by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}`;
}

interface Judged {
  truth: Truth;
  seen: Seen;
}

/** Of the quantiles that are neither thin nor on an edge. */
function tally(judged: readonly Judged[]) {
  const quantiles = judged.flatMap(({ truth, seen }) =>
    LEVELS.filter((p) => !isThin(seen, p) && !truth.isEdge(p)).map((p) => ({
      isClose: isClose(truth, seen, p),
      error: seen.quantiles[p] - truth.at(p),
    })),
  );
  const errors = quantiles.map(({ error }) => error).sort((a, b) => a - b);
  return {
    of: quantiles.length,
    close: quantiles.filter((one) => one.isClose).length,
    median: errors[Math.floor(errors.length / 2)] ?? Number.NaN,
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

function limitSentence(
  what: string,
  cells: readonly Cell[],
  judge: (cell: Cell) => Judged[],
): string[] {
  if (cells.length === 0) return [];
  const counted = cells.filter((cell) => cell.void === null);
  const { of, close, median } = tally(counted.flatMap(judge));
  const voided = cells.length - counted.length;
  const voids =
    voided === 0
      ? ""
      : ` ${voided} of its cells would have been discarded in a gate: the last column says why.`;
  if (of === 0)
    return [`- ${what}: every cell would have been discarded in a gate: the last column says why.`];
  return [
    `- ${what}: ${close} of ${of} quantiles within ${CLOSE_US} µs or ${CLOSE_SHARE * 100} % of the truth, whichever is larger; median error ${ms(Math.abs(median))} ms ${median < 0 ? "too little" : "too much"}.${voids}`,
  ];
}

const ofProfile = (cell: Cell): Judged[] => [
  { truth: truthOf(profileNamed(cell.profile)), seen: cell },
];

/** The whole and each part. */
function ofMix(cell: Cell): Judged[] {
  const mix = mixNamed(cell.profile);
  const parts = mix.parts.flatMap(({ profile }, i) => {
    const seen = cell.parts?.[i];
    return seen === undefined ? [] : [{ truth: truthOf(profile), seen }];
  });
  return [{ truth: truthOfMix(mix), seen: cell }, ...parts];
}

function limitSentences(cells: readonly Cell[], { transports, mixes }: Results): string {
  const others = transports?.cells.filter(({ over }) => over !== "http1") ?? [];
  return [
    ...["oha", "wrk2"].flatMap((name) =>
      limitSentence(
        name,
        cells.filter(({ generator }) => generator === name),
        ofProfile,
      ),
    ),
    ...limitSentence("oha over HTTP/2, TLS and unix sockets", others, ofProfile),
    ...limitSentence("oha in mixes, wholes and parts", mixes?.cells ?? [], ofMix),
  ].join("\n");
}

export function renderFidelity(results: Results): string {
  // Older results have transports and mixes of another server in the same list.
  const cells = results.cells.filter((cell) => !("way" in cell));
  const lateness = cells.map(({ floor }) => floor.p99).sort((a, b) => a - b);
  const sections = [
    ...PROFILES.map((profile) => profileSection(profile, cells)),
    ...(results.transports === undefined ? [] : [transportSection(results.transports)]),
    ...(results.mixes === undefined ? [] : [mixSection(results.mixes)]),
  ];
  return `# Fidelity: what the generators measure of a known truth

A server holds each request for a known time, then answers. This page compares what Tailgate takes from each generator with the truth: the
time from the ideal instant of an evenly spaced request to its answer, for a client that never waits. Errors include the generator's timers,
the exchange over loopback, the server's lateness, and whatever the machine did.

${machineLines(results)} Made by \`node lab/fidelity/fidelity.ts\` from [results.json.gz](results.json.gz).

- The server ([test/support/known-latency](../../test/support/known-latency/)) wrote 99 % of its answers within ${(lateness[Math.floor(lateness.length / 2)] ?? Number.NaN).toFixed(0)} µs of when they were due in the
  median cell, within ${Math.max(...lateness).toFixed(0)} µs in the worst. Smaller errors may be its own.
- Latencies are in milliseconds, with the error in brackets. **Bold**: off by more than ${CLOSE_US} µs and more than ${CLOSE_SHARE * 100} %. *thin*: fewer than
  ${THIN_BEYOND} answers beyond the quantile. *edge*: the truth jumps there.
- *p99 from the send*: counted from when each request was written to its connection.
- *generator's own*: for oha the lag of its releases, which its latencies exclude; for wrk2 the mean beyond the mean from the send, which
  its latencies include.
- Each cell pools runs of 8 s, several below 2,000/s. Each connection has a turn every 12 to 80 ms.

## In short

${limitSentences(cells, results)}

## Coordinated omission

${stallSentence(cells)}

${sections.join("\n\n")}

## Why a generator is the limit

From their sources:

- **oha** counts from the release, which is late by about a millisecond. Above 1,000/s requests leave in batches, one per millisecond.
- With TLS **oha** pauses for 50 to 150 ms before its first handshake: the first 250 ms of such slices do not count.
- **wrk2** counts from the ideal instant, so its millisecond timers are in every latency.
- Each connection of **wrk2** has its own schedule: a slow request delays the next one on its connection. The fewer the connections, the
  heavier the measured tail. After a stall it sends its backlog at twice the rate, so more requests wait than arrived during the stall.
- **wrk2** does not record requests in flight at its end, and empties its histograms at 10 s ([ADR 9](../../docs/adr/0009-wrk2.md)).
`;
}
