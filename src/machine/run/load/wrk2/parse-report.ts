// Reads the file that our Lua program in wrk2 leaves (see script.ts).
import { showValue } from "../../../../core/base/show-value.ts";
import type { LatencyCounts } from "../../../../core/slice/load.ts";

interface Wrk2Report {
  ok: true;
  /** Answers of any status, the ones after the end of the run included, which are not recorded. */
  requests: number;
  /** Requests written to a connection. */
  sent: number;
  /** Time in which a thread had nothing to wait for and sent nothing: the sum over all threads. */
  stoppedUs: number;
  /** Time without sends or answers that a thread had not made up for at its end: the sum. */
  behindUs: number;
  statuses: Record<string, number>;
  /** By wrk2's names, without those that did not occur. */
  errors: Record<string, number>;
  /** In steps of 1 us below 2,048 us, and of at most a thousandth above. */
  recorded: LatencyCounts;
}

type Wrk2Parsed = Wrk2Report | { ok: false; why: string };

const HEADER = "tailgate-wrk2 1";

export function parseWrk2Report(text: string): Wrk2Parsed {
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header !== HEADER) return { ok: false, why: "the report of wrk2's script has no heading" };
  const single = new Map<string, number>();
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  const values: number[] = [];
  const counts: number[] = [];
  let recorded = 0;
  for (const line of lines) {
    const [key = "", ...words] = line.split(" ");
    const name = words.length === 2 ? (words[0] ?? "") : "";
    const number = wholeNumber(words.at(-1));
    if (number === null || words.length > 2) return refuse(line);
    if (key === "status") statuses[name] = number;
    else if (key === "error" && number > 0) errors[name] = number;
    else if (key === "value") {
      const value = wholeNumber(name);
      if (value === null || value <= (values.at(-1) ?? -1) || number === 0) return refuse(line);
      values.push(value);
      counts.push(number);
      recorded += number;
    } else if (key !== "error") single.set(key, number);
  }
  if (single.get("end") !== recorded) {
    return { ok: false, why: "the report of wrk2's script is cut short" };
  }
  const requests = single.get("requests");
  const sent = single.get("sent");
  const stoppedUs = single.get("stopped_us");
  const behindUs = single.get("behind_us");
  if (
    requests === undefined ||
    sent === undefined ||
    stoppedUs === undefined ||
    behindUs === undefined
  ) {
    return { ok: false, why: "the report of wrk2's script lacks a line" };
  }
  return {
    ok: true,
    requests,
    sent,
    stoppedUs,
    behindUs,
    statuses,
    errors,
    recorded: { values: Float64Array.from(values), counts: Float64Array.from(counts) },
  };
}

function refuse(line: string): Wrk2Parsed {
  return { ok: false, why: `the report of wrk2's script has an odd line: ${showValue(line)}` };
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** One value for each request, ascending: what can be pooled with others. */
export function expandCounts({ values, counts }: LatencyCounts): Float64Array {
  const expanded = new Float64Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  values.forEach((value, i) => {
    const next = at + (counts[i] ?? 0);
    expanded.fill(value, at, next);
    at = next;
  });
  return expanded;
}
