// Stacks of both arms as one tree → the frames that a page draws: how wide one is, is what it takes in
// the candidate; what it took before is said. A stack begins at the first of the repository's own
// functions: of long ones the recorder sees no more than that.
import { type FlameFrame, type Section, section } from "../../src/core/report/kit/blocks.ts";
import { formatPair, formatShare } from "../../src/core/text/format.ts";
import type { Explanation } from "./explanation.ts";
import { type Column, type Folded, mean, type Pair, type Path, type Sampled, sum } from "./fold.ts";
import { testColumns } from "./max-t.ts";
import { shortName } from "./own.ts";

interface Node extends Column {
  reference: number[];
  candidate: number[];
  /** By name. */
  calls: Map<string, Node>;
}

/** What is narrower is joined with its like: of the candidate. */
const LEAST_SHARE = 0.004;
const MOST_FRAMES = 250;
/** Wider before: of what is too narrow now so many are told. */
const LEAST_GONE = 0.01;
const MOST_GONE = 3;
const MOST_DEPTH = 40;
/** For either mark, over all frames together. */
const ALPHA = 0.025;
const FOREIGN = "no function of this repository";

/** Whose samples a unit is of, and how amounts of it are written. */
const OF_UNIT = {
  cpu: { of: ({ cpu }: Folded) => cpu, scale: "ms", what: "CPU per 1,000 requests" },
  memory: { of: ({ faults }: Folded) => faults, scale: "bytes", what: "memory when first touched" },
  start: { of: ({ start }: Folded) => start, scale: "ms", what: "CPU until the first answer" },
} as const;

const CAPTION =
  "A frame is as wide as its share in the candidate, and stands below the function that called it. Hatched is what is shown to differ, by one test of all frames: where nothing differs, at most one picture in 20 has any.";

/** Empty where there are no stacks. */
export function flameSection(
  pairs: readonly Pair[],
  { unit, rows }: Pick<Explanation, "unit" | "rows">,
): Section {
  const { of, scale, what } = OF_UNIT[unit];
  const root = treeOf(pairs, of);
  const whole = mean(root.candidate);
  if (whole === 0) return section("");
  const { placed, gone } = placedIn(root, whole);
  const all = [...placed.map(({ node }) => node), ...gone];
  const isMore = testColumns(all, ALPHA).map((one) => one.isMore);
  const isLess = testColumns(all.map(mirrored), ALPHA).map((one) => one.isMore);
  const amount = (one: Column) => formatPair(scale, mean(one.reference), mean(one.candidate));
  const named = new Set(rows.map((row) => row.function));
  const frames = placed.map(({ node, ...place }, at): FlameFrame => {
    const change = isMore[at] ? "more" : isLess[at] ? "less" : null;
    const width = mean(node.candidate) / whole;
    const short = clipped(shortName(node.name), MOST_LABEL);
    return {
      ...{ ...place, width, change, isNamed: named.has(node.name) },
      label: `${change === null ? "" : MARKS[change]} ${short} ${amount(node)}`.trim(),
      says: [
        short,
        `${what} ${amount(node)}, ${formatShare(width)} of all`,
        change === null ? "not shown to differ" : `${MARKS[change]} ${change} than before`,
        ...(short === node.name ? [] : [clipped(node.name, MOST_NAME)]),
      ],
    };
  });
  const missed = gone.filter((_, at) => isLess[placed.length + at]).slice(0, MOST_GONE);
  const lost = missed.map((one) => `${clipped(shortName(one.name), MOST_LABEL)} ${amount(one)}`);
  const caption = lost.length === 0 ? CAPTION : `${CAPTION} Too narrow now: ${lost.join("; ")}.`;
  const title = `${what}, of the candidate`;
  return section("Where it goes", {
    kind: "figure",
    figure: { kind: "flame", title, caption, frames },
  });
}

const MARKS = { more: "▲", less: "▼" } as const;
const MOST_LABEL = 60;
const MOST_NAME = 160;

/** In the middle: both ends of a long name tell it apart. */
function clipped(name: string, most: number): string {
  const half = Math.floor((most - 1) / 2);
  return name.length <= most ? name : `${name.slice(0, half)}…${name.slice(-half)}`;
}

const mirrored = (one: Column): Column => ({
  ...one,
  reference: one.candidate,
  candidate: one.reference,
});

function treeOf(pairs: readonly Pair[], of: (one: Folded) => Sampled): Node {
  const unit = pairs.map(
    ({ reference, candidate }) => (of(reference).unit + of(candidate).unit) / 2,
  );
  const make = (name: string): Node => ({
    ...{ name, unit, calls: new Map() },
    ...{ reference: pairs.map(() => 0), candidate: pairs.map(() => 0) },
  });
  const root = make("all");
  for (const [round, pair] of pairs.entries())
    for (const arm of ["reference", "candidate"] as const) {
      const { paths, unit: each } = of(pair[arm]);
      for (const path of paths) {
        let node = root;
        node[arm][round] = (node[arm][round] ?? 0) + path.weight * each;
        for (const name of fromOwn(path)) {
          const next = node.calls.get(name) ?? make(name);
          node.calls.set(name, next);
          node = next;
          node[arm][round] = (node[arm][round] ?? 0) + path.weight * each;
        }
      }
    }
  return root;
}

/** From the root on, where that was seen; a function that calls itself stands once. */
function fromOwn({ names, own }: Path): string[] {
  const first = own.at(-1);
  const known = names.at(-1) === "[unknown]" ? names.slice(0, -1) : names;
  const shown = known.slice(0, (first ?? known.length) + 1).reverse();
  const once = shown.filter((name, at) => name !== shown[at - 1]).slice(0, MOST_DEPTH);
  return first === undefined ? [FOREIGN, ...once] : once;
}

type Placed = Pick<FlameFrame, "depth" | "from"> & { node: Node };

/** As many as are drawn, and the outermost of those that are too narrow only now. */
function placedIn(root: Node, whole: number): { placed: Placed[]; gone: Node[] } {
  for (let least = LEAST_SHARE * whole; ; least *= 1.5) {
    const placed: Placed[] = [];
    const gone: Node[] = [];
    const place = (node: Node, depth: number, from: number): void => {
      placed.push({ node, depth, from });
      const { wide, narrow } = shownOf(node, least);
      gone.push(...narrow.filter((one) => mean(one.reference) >= LEAST_GONE * whole));
      let next = from;
      for (const one of wide) {
        place(one, depth + 1, next);
        next += mean(one.candidate) / whole;
      }
    };
    place(root, 0, 0);
    if (placed.length <= MOST_FRAMES) return { placed, gone };
  }
}

/** The widest first, then what is too narrow, joined, if it is wide enough together. */
function shownOf({ calls, unit }: Node, least: number): { wide: Node[]; narrow: Node[] } {
  const all = [...calls.values()];
  const isWide = (one: Node): boolean => mean(one.candidate) >= least;
  const narrow = all.filter((one) => !isWide(one));
  const sums = (arm: "reference" | "candidate"): number[] =>
    unit.map((_, round) => sum(narrow.map((one) => one[arm][round] ?? 0)));
  const name = `${narrow.length} narrow ones`;
  const arms = { reference: sums("reference"), candidate: sums("candidate") };
  const joined = { name, unit, ...arms, calls: new Map() };
  const wide = all.filter(isWide).toSorted((a, b) => mean(b.candidate) - mean(a.candidate));
  return { wide: [...wide, ...[joined].filter(isWide)], narrow };
}
