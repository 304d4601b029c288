// Reads the file that our Lua program in wrk2 leaves (see script.ts).
import { showValue } from "../../../../core/base/show-value.ts";
import type { LatencyCounts } from "../../../../core/slice/load.ts";

interface Wrk2Report {
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

const HEADER = "tailgate-wrk2 1";

/** Throws where the report is not whole. */
export function parseWrk2Report(text: string): Wrk2Report {
  const [header, ...lines] = text.trimEnd().split("\n");
  if (header !== HEADER) throw new Error("the script's report has no heading");
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
    if (number === null || words.length > 2) throw refusal(line);
    if (key === "status") statuses[name] = number;
    else if (key === "error" && number > 0) errors[name] = number;
    else if (key === "value") {
      const value = wholeNumber(name);
      if (value === null || value <= (values.at(-1) ?? -1) || number === 0) throw refusal(line);
      values.push(value);
      counts.push(number);
      recorded += number;
    } else if (key !== "error") single.set(key, number);
  }
  if (single.get("end") !== recorded) throw new Error("the script's report is cut short");
  const one = (key: string): number => {
    const number = single.get(key);
    if (number === undefined) throw new Error(`the script's report has no line ${key}`);
    return number;
  };
  return {
    requests: one("requests"),
    sent: one("sent"),
    stoppedUs: one("stopped_us"),
    behindUs: one("behind_us"),
    statuses,
    errors,
    recorded: { values: Float64Array.from(values), counts: Float64Array.from(counts) },
  };
}

function refusal(line: string): Error {
  return new Error(`the script's report has an unexpected line: ${showValue(line)}`);
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
