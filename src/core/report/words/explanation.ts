// Why a verdict is red, as profiles of both builds show it.
import type { Report } from "../../model/report.ts";
import { formatPair, NOTHING } from "../../text/format.ts";
import { type Block, note, paragraph, tableAbout } from "../kit/blocks.ts";

/** What there is more of, up to how much of it; and the unit of that. */
const CAUSES = {
  cpu: ["More CPU: 1,000 requests take", "ms"],
  timer: ["More waiting for a timer: the mean latency is", "us"],
  disk: ["More waiting for files or a disk: the mean latency is", "us"],
  service: ["More waiting for another service: the mean latency is", "us"],
  waiting: ["More waiting, for what no profile shows: the mean latency is", "us"],
  memory: ["More memory:", "bytes"],
  start: ["A slower start:", "ms"],
  nothing: ["Profiles prove no cause: the mean latency is", "us"],
} as const;

/** Nothing where it is not red, as by other limits than it was measured for. */
export function explanationBlocks({ verdict, explanation }: Report): Block[] {
  if (verdict.state !== "regressed" || explanation === undefined) return [];
  const { cause, before, after, rows } = explanation;
  const [says, unit] = CAUSES[cause];
  // Of what waits, rows say who takes CPU meanwhile.
  const [title, scale] = unit === "us" ? ["CPU per 1,000", "ms" as const] : ["cost", unit];
  const first = unit === "us" ? [] : rows.slice(0, 1);
  const where = first.flatMap((row) => [", above all in ", { code: row.function }]);
  return [
    paragraph([`${says} ${formatPair(unit, before, after)}`, ...where, "."], "strong"),
    tableAbout(rows, [
      { title: "function", kind: "name", cell: (row) => row.function },
      { title: "called by", kind: "name", dropRank: 1, cell: (row) => row.calledBy ?? NOTHING },
      { title, kind: "number", cell: (row) => formatPair(scale, row.before, row.after) },
      { title: "changed here", kind: "text", cell: (row) => row.changedHere },
    ]),
    note("With intervals and a picture: explanation.html, beside the report."),
  ];
}
