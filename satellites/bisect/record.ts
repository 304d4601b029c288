// bisect.v1: the line, all that was seen on it, and in the end what was found. Rewritten after every
// step, so that a bisection that was stopped loses nothing.
import { UserError } from "../../src/core/base/errors.ts";
import { tryJson } from "../../src/core/base/try-json.ts";

const PURPOSES = ["change", "side", "proof"] as const;
/**
 * `change`: the bad commit against the good one. `side`: another against the good one. `proof`: one
 * against the commit before, to name it.
 */
export type Purpose = (typeof PURPOSES)[number];

/**
 * `found`: one commit is named. `one-of`: several, of which only the last can be measured. `no-change`:
 * the bad commit is not shown to be worse. `invalid`: an end of the line cannot be measured.
 */
export type BisectState = "found" | "one-of" | "undecided" | "no-change" | "invalid";

/** Places count from the good commit, which is 0. */
export type Seen =
  | { kind: "built"; at: number; key: string | null }
  /** It cannot be measured. */
  | { kind: "skipped"; at: number; why: string }
  | {
      kind: "rounds";
      purpose: Purpose;
      from: number;
      to: number;
      rounds: number;
      /** By question: ln(to / from) of each round that has a value. */
      d: Record<string, number[]>;
    };

export interface BisectRecord {
  schema: "tailgate.bisect.v1";
  tool: string;
  /** `running`: it was stopped, and can go on. */
  state: "running" | BisectState;
  why: string;
  /** Id of the question that led to the commit; null: no change was shown. */
  question: string | null;
  /** Log ratio of the bad commit to the good one. */
  change: number | null;
  /** Log ratio of the named commit, or the last of several, to the one before; null: not measured. */
  step: number | null;
  /** What it is, the likeliest first, each with its chance; one: it is found. */
  suspects: { id: string; subject: string; chance: number }[];
  /** Measures the answer again; null: there is none. */
  again: string | null;
  /** The line, from the good commit to the bad one. */
  commits: { id: string; subject: string }[];
  /** Of the commits, questions and configuration. */
  identity: string;
  seen: Seen[];
}

const isPlace = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === "string";
const areRatios = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => Number.isFinite(one));

/** Of one of our files, which may be damaged. By hand, since a schema here would ship all of zod. */
function isSeen(value: unknown): value is Seen {
  if (typeof value !== "object" || value === null) return false;
  const { kind, at, key, why, purpose, from, to, rounds, d } = value as Record<string, unknown>;
  if (kind === "built") return isPlace(at) && (key === null || isText(key));
  if (kind === "skipped") return isPlace(at) && isText(why);
  return (
    kind === "rounds" &&
    PURPOSES.some((one) => one === purpose) &&
    [from, to, rounds].every(isPlace) &&
    typeof d === "object" &&
    Object.values(d ?? { none: null }).every(areRatios)
  );
}

/** What an earlier session saw, if it was of the same. */
export function seenIn(text: string, identity: string): Seen[] {
  const record = tryJson(text) as Partial<BisectRecord> | null | undefined;
  const seen = record?.schema === "tailgate.bisect.v1" ? record.seen : undefined;
  const isWhole = Array.isArray(seen) && seen.every(isSeen);
  if (isWhole && record?.identity === identity) return seen;
  const why = isWhole ? "it is of other commits or questions" : "it cannot be read";
  throw new UserError(`--resume: the earlier bisection cannot be gone on with: ${why}`, {
    next: "Begin anew: leave out --resume.",
  });
}
