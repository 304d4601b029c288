// The changes for the worse that stand: the level has not come back since, and no baseline was
// accepted that has them in it.
import type { SeriesChange, SeriesHistory, StandingChange } from "../model/history.ts";

/** Smaller ones are on record, and no reason to call anybody. */
const LEAST = Math.log(1.01);

/** What is left of them, the largest first. */
export function standingChanges(histories: readonly SeriesHistory[]): StandingChange[] {
  return histories.flatMap(standingIn).sort((a, b) => b.left.estimate - a.left.estimate);
}

function standingIn({ series, runnerClass, points, changes }: SeriesHistory): StandingChange[] {
  const lastBreak = points.findLastIndex(({ afterBreak }) => afterBreak);
  const own = changes.filter(({ index }) => index > lastBreak);
  return own.flatMap((change, k) => {
    const left = sumOf(own.slice(k).map(({ size }) => size));
    const [began, ended] = [points[change.index], points[change.until]];
    const stands = change.size.low > 0 && left.low > 0 && left.estimate >= LEAST;
    if (!stands || began === undefined || ended === undefined) return [];
    const commits = commitsBetween(change, points);
    const nights = { began: began.record, ended: ended.record };
    return [{ ...change, series, runnerClass, ...nights, commits, left }];
  });
}

function commitsBetween({ after, by }: SeriesChange, points: SeriesHistory["points"]) {
  const parents = new Map(points.map(({ record: { commit } }) => [commit.sha, commit.parent]));
  // At most every commit there is, if a record should name a commit as its own parent.
  let at: string | null = by;
  for (let count = 0; count <= parents.size && at !== null; count++) {
    if (at === after) return count;
    at = parents.get(at) ?? null;
  }
  return null;
}

/** Half-widths are added by their squares. */
function sumOf(sizes: readonly SeriesChange["size"][]): SeriesChange["size"] {
  const estimate = sizes.reduce((sum, size) => sum + size.estimate, 0);
  const half = (bound: "low" | "high"): number =>
    Math.hypot(...sizes.map((size) => size[bound] - size.estimate));
  return { estimate, low: estimate - half("low"), high: estimate + half("high") };
}
