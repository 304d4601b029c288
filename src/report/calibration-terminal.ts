// A runner's profile on a terminal. Everything foreign is made plain before it is printed.
import type { Profile } from "../model/profile.ts";
import {
  advice,
  calibrationFacts,
  headline,
  noiseTable,
  powerTable,
  type RankedTable,
  sliceTable,
  unkept,
} from "./calibration-text.ts";
import { clip, layoutTable, wrap } from "./columns.ts";
import { plainLine } from "./foreign.ts";
import type { TerminalOptions } from "./terminal.ts";
import { type Paint, STYLE_CODES } from "./terminal-table.ts";

interface Page {
  width: number;
  paint: Paint;
}

const NOISE_NOTE =
  "Of a round's log ratio between identical programs: .10 is about 10 %. `launch` and `pair` are its components, of the two launches and of one pair of slices (REML over the pairs' log ratios, wild ones limited).";
const POWER_NOTE =
  "Rounds and time (of its service alone) until a change of so much is found, with just that promised; `passes`: until nothing is shown to be nothing. Where fewer than 95 of 100 runs get there, how many do. The decision rule simulated on noise as recorded.";
const SLICE_NOTE =
  "From the components: more pairs narrow a round, fewer make it shorter. var·s: variance of a round times its seconds.";

export function renderCalibrationTerminal(profile: Profile, options: TerminalOptions): string {
  const paint: Paint =
    options.color === "always"
      ? (style, text) => `\u001b[${STYLE_CODES[style]}m${text}\u001b[0m`
      : (_, text) => text;
  const page: Page = { width: Math.max(60, options.width), paint };
  const sections = [
    headSection(profile, page),
    tableSection("Noise", noiseTable(profile), NOISE_NOTE, page),
    tableSection("What this runner can show", powerTable(profile), POWER_NOTE, page),
    tableSection("Slices of a round", sliceTable(profile), SLICE_NOTE, page),
    factSection(profile, page),
    adviceSection(profile, page),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

function headSection(profile: Profile, { width, paint }: Page): string[] {
  const kept = unkept(profile).length === 0;
  const head = kept ? "✓ CALIBRATED" : "? CALIBRATED";
  const [first = "", ...more] = wrap(headline(profile), {
    width,
    first: `${head}  `,
    rest: " ".repeat(head.length + 2),
  });
  return [
    paint(kept ? "pass" : "inconclusive", head) + paint("bold", first.slice(head.length)),
    ...more.map((line) => paint("bold", line)),
  ];
}

function tableSection(title: string, table: RankedTable, note: string, page: Page): string[] {
  if (table.rows.length === 0) return [];
  const { width, paint } = page;
  const { lines } = layoutTable(
    table.columns.map((column, i) => ({ ...column, id: String(i) })),
    table.rows.map((cells) => ({
      kind: "cells",
      cells: cells.map((cell) => ({ text: plainLine(cell) })),
    })),
    { width, paintHeading: (text) => text },
  );
  return [
    paint("bold", title),
    ...lines.map((line, i) => (i === 0 ? paint("dim", clip(line, width)) : clip(line, width))),
    ...wrap(note, { width, first: "  ", rest: "  " }).map((line) => paint("dim", line)),
  ];
}

function factSection(profile: Profile, { width, paint }: Page): string[] {
  return [
    paint("bold", "How it was measured"),
    ...calibrationFacts(profile).flatMap(({ label, text }) =>
      wrap(plainLine(text), { width, first: `  ${label.padEnd(10)} `, rest: " ".repeat(13) }),
    ),
  ];
}

function adviceSection(profile: Profile, { width, paint }: Page): string[] {
  const lines = advice(profile);
  if (lines.length === 0) return [];
  return [
    paint("bold", "Next"),
    ...lines.flatMap((line) => wrap(plainLine(line), { width, first: "  - ", rest: "    " })),
  ];
}
