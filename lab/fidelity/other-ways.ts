// What oha measures over other transports than HTTP/1.1, and in mixes.
import { type KnownMix, MIXES, profileNamed } from "../../test/support/known-latency-profiles.ts";
import { TRANSPORTS, type TransportName } from "../../test/support/transport-address.ts";
import type { Cell } from "./cell.ts";
import type { Measurement } from "./measure.ts";
import {
  LEVELS,
  type Level,
  lateText,
  machineLines,
  ms,
  quantileText,
  type Seen,
  type Truth,
  truthOf,
  truthOfMix,
  truthText,
  whole,
} from "./text.ts";

const TRANSPORT_TITLES: Readonly<Record<TransportName, string>> = {
  http1: "HTTP/1.1",
  "http1-tls": "HTTP/1.1, TLS",
  "http1-socket": "HTTP/1.1, unix socket",
  h2c: "HTTP/2 (h2c)",
  "h2c-socket": "HTTP/2 (h2c), unix socket",
  h2: "HTTP/2, TLS",
};

function rateKept({ slices: [slice] }: Cell): string {
  return whole(Math.round(slice?.achievedRps ?? Number.NaN));
}

function transportTable(name: string, cells: readonly Cell[]): string {
  const profile = profileNamed(name);
  const truth = truthOf(profile);
  const rows = cells.map((cell) =>
    [
      TRANSPORT_TITLES[cell.over ?? "http1"],
      whole(cell.rateRps),
      ...LEVELS.map((p) => quantileText(truth, cell, p)),
      cell.sinceSendP99Us === null ? "" : ms(cell.sinceSendP99Us),
      lateText(cell),
      rateKept(cell),
      whole(cell.answers),
      cell.void ?? "",
    ].join(" | "),
  );
  return `### ${profile.title}

Truth, in ms: ${truthText(truth)}.

| over | rate /s | p50 | p90 | p99 | p99.9 | p99 from the send | server late, µs | rate kept /s | answers | discarded by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}`;
}

/** How far a p99 may be from that over plain HTTP/1.1 before it is said in words. */
const FAR_US = 1000;

/** Against plain HTTP/1.1 from the same server: what the transport itself adds. */
function farTransports(cells: readonly Cell[]): string {
  const added = cells.flatMap((cell) => {
    const plain = cells.find(
      ({ over, profile, rateRps }) =>
        over === "http1" && profile === cell.profile && rateRps === cell.rateRps,
    );
    if (plain === undefined || cell.over === undefined || cell.over === "http1") return [];
    if (plain.void !== null || cell.void !== null) return [];
    return [{ cell, over: cell.over, us: cell.quantiles[0.99] - plain.quantiles[0.99] }];
  });
  const far = added.filter(({ us }) => Math.abs(us) > FAR_US);
  const near = TRANSPORTS.filter(
    (name) => added.some(({ over }) => over === name) && !far.some(({ over }) => over === name),
  );
  const lines = far.map(
    ({ cell, over, us }) =>
      `- **${TRANSPORT_TITLES[over]}**: the p99 of “${profileNamed(cell.profile).title}”, at ${whole(cell.rateRps)}/s, is ${ms(Math.abs(us))} ms ${us < 0 ? "less" : "more"} than over plain HTTP/1.1.`,
  );
  const within = Math.max(
    0,
    ...added.filter(({ over }) => near.includes(over)).map(({ us }) => Math.abs(us)),
  );
  if (near.length > 0) {
    lines.push(
      `- ${near.map((name) => TRANSPORT_TITLES[name]).join("; ")}: every p99 within ${ms(within)} ms of that over plain HTTP/1.1.`,
    );
  }
  return lines.length === 0 ? "Every cell would have been discarded in a gate." : lines.join("\n");
}

export function transportSection(measured: Measurement): string {
  const { cells } = measured;
  const profiles = [...new Set(cells.map(({ profile }) => profile))];
  return `## Over HTTP/2, TLS and unix sockets

${machineLines(measured)}

By oha, as a gate runs it; with TLS the certificate is checked by an authority of its own, and the first 250 ms do not count. The server is
Go's net/http here: what a transport adds is the difference from the first row of each table, plain HTTP/1.1 from the same server.

${farTransports(cells)}

${profiles
  .map((name) =>
    transportTable(
      name,
      cells.filter(({ profile }) => profile === name),
    ),
  )
  .join("\n\n")}`;
}

export function mixNamed(wanted: string): KnownMix {
  const mix = MIXES.find(({ name }) => name === wanted);
  if (mix === undefined) throw new Error(`no mix ${wanted}`);
  return mix;
}

type KnownPart = KnownMix["parts"][number];
type SeenPart = NonNullable<Cell["parts"]>[number];

/** Of parts that are alike, at each probability the one that is farthest from the truth. */
function farthest(truth: Truth, parts: readonly SeenPart[]): Seen {
  const at = (p: Level): number =>
    parts
      .map(({ quantiles }) => quantiles[p])
      .reduce((far, us) => (Math.abs(us - truth.at(p)) > Math.abs(far - truth.at(p)) ? us : far));
  const [first] = parts;
  if (first === undefined) throw new Error("no parts: bug");
  const own = Object.fromEntries(LEVELS.map((p) => [p, at(p)]));
  return {
    answers: Math.min(...parts.map(({ answers }) => answers)),
    quantiles: { ...first.quantiles, ...own },
  };
}

function answeredText(parts: readonly SeenPart[]): string {
  const sum = (key: "scheduled" | "answered"): number =>
    parts.reduce((all, part) => all + part[key], 0);
  return `${whole(sum("answered"))} of ${whole(sum("scheduled"))}`;
}

/** The whole, and below it its parts; those that are alike share a row. */
function mixRows(mix: KnownMix, cell: Cell): string[] {
  const weights = mix.parts.reduce((sum, { weight }) => sum + weight, 0);
  const { parts = [] } = cell;
  const row = (what: string, truth: Truth, seen: Seen, ...more: string[]): string =>
    [what, whole(cell.rateRps), ...LEVELS.map((p) => quantileText(truth, seen, p)), ...more].join(
      " | ",
    );
  const alike = new Map<string, { known: KnownPart; seen: SeenPart[] }>();
  for (const [i, known] of mix.parts.entries()) {
    const key = `${known.weight} ${known.profile.name}`;
    const group = alike.get(key) ?? { known, seen: [] };
    const part = parts[i];
    if (part !== undefined) alike.set(key, { known, seen: [...group.seen, part] });
  }
  const ofAll = [answeredText(parts), lateText(cell), rateKept(cell), cell.void ?? ""];
  return [
    row("all", truthOfMix(mix), cell, ...ofAll),
    ...[...alike.values()].map(({ known, seen }) => {
      const share = `${known.weight} of ${weights}`;
      const what = seen.length === 1 ? known.name : `farthest of ${seen.length} that are alike`;
      const truth = truthOf(known.profile);
      return row(`${what}, ${share}`, truth, farthest(truth, seen), answeredText(seen), "", "", "");
    }),
  ];
}

function mixTable(name: string, cells: readonly Cell[]): string {
  const mix = mixNamed(name);
  const own = new Map(mix.parts.map((part) => [part.profile.title, part]));
  const truths = [...own].map(([title, part]) => {
    const of = own.size === 1 ? "Each part" : part.name;
    return `${of} (${title}) ${truthText(truthOf(part.profile))}`;
  });
  const all = own.size === 1 ? [] : [`all ${truthText(truthOfMix(mix))}`];
  const rows = cells.flatMap((cell) => mixRows(mix, cell));
  return `### ${mix.title}

Truth, in ms: ${[...truths, ...all].join("; ")}.

| requests | rate of all /s | p50 | p90 | p99 | p99.9 | answered | server late, µs | rate kept /s | discarded by the gate's rules |
|---|---|---|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}`;
}

export function mixSection(measured: Measurement): string {
  const { cells } = measured;
  const mixes = [...new Set(cells.map(({ profile }) => profile))];
  return `## Mixes

${machineLines(measured)}

One process of oha for each part, as a gate runs a \`mix\`; over HTTP/1.1, from the polling server, which holds each part's requests for a
known time of their own.

${mixes
  .map((name) =>
    mixTable(
      name,
      cells.filter(({ profile }) => profile === name),
    ),
  )
  .join("\n\n")}`;
}
