// Stacks of both arms as one tree → the frames that a page draws: how wide one is, is what it takes in
// the candidate; what it took before is said. A stack begins at the first of the repository's own
// functions: of long ones the recorder sees no more than that.
import { type FlameFrame, type Section, section } from "../../src/core/report/kit/blocks.ts";
import { formatPair, formatShare } from "../../src/core/text/format.ts";
import type { Explanation } from "./explanation.ts";
import { type Column, columnsOf, mean, type Pair, type Path, sum, summed } from "./fold.ts";
import { testColumns } from "./max-t.ts";
import { onceFor } from "./once-for.ts";
import { shortName } from "./own.ts";

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

const AMOUNTS = {
  cpu: { scale: "ms", what: "CPU per 1,000 requests" },
  memory: { scale: "bytes", what: "memory when first touched" },
  start: { scale: "ms", what: "CPU until the first answer" },
} as const;

const CAPTION =
  "A frame is as wide as its share in the candidate, and stands below the function that called it. Hatched is what is shown to differ, by one test of all frames: where nothing differs, at most one picture in 20 has any.";

/** Empty where there are no stacks. */
export function flameSection(
  pairs: readonly Pair[],
  { unit, rows }: Pick<Explanation, "unit" | "rows">,
): Section {
  const { scale, what } = AMOUNTS[unit];
  let paths = 0;
  const numberOf = onceFor((_beginning: string) => ++paths);
  const beginnings = (path: Path): string[] => beginningsOf(path, numberOf);
  const nodes = columnsOf(pairs, (one) => summed(one[unit], beginnings));
  const [root] = nodes;
  const whole = mean(root?.candidate ?? []);
  if (root === undefined || whole === 0) return section("");
  const calls = Map.groupBy(nodes, callerOf);
  const { placed, gone } = placedIn(root, ({ name }) => calls.get(numberOf(name)) ?? []);
  const all = [...placed.map(({ node }) => node), ...gone];
  const tested = testColumns(all, ALPHA);
  const amount = (one: Column) => formatPair(scale, mean(one.reference), mean(one.candidate));
  const named = new Set(rows.map((row) => row.function));
  const frames = placed.map(({ node, ...place }, at): FlameFrame => {
    const change = tested[at]?.isMore ? "more" : tested[at]?.isLess ? "less" : null;
    const width = mean(node.candidate) / whole;
    const name = functionAt(node);
    const short = shownName(node);
    return {
      ...{ ...place, width, change, isNamed: named.has(name) },
      label: `${change === null ? "" : MARKS[change]} ${short} ${amount(node)}`.trim(),
      says: [
        short,
        `${what} ${amount(node)}, ${formatShare(width)} of all`,
        change === null ? "not shown to differ" : `${MARKS[change]} ${change} than before`,
        ...(short === name ? [] : [clipped(name, MOST_NAME)]),
      ],
    };
  });
  const missed = gone.filter((_, at) => tested[placed.length + at]?.isLess).slice(0, MOST_GONE);
  const lost = missed.map((one) => `${shownName(one)} ${amount(one)}`);
  const caption = lost.length === 0 ? CAPTION : `${CAPTION} Too narrow now: ${lost.join("; ")}.`;
  return section("Where it goes", {
    kind: "figure",
    figure: { kind: "flame", title: `${what}, of the candidate`, caption, frames },
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

const shownName = (node: Column): string => clipped(shortName(functionAt(node)), MOST_LABEL);

/** Parts a function from the number of the path to its caller. */
const BELOW = "\n";

const functionAt = ({ name }: Column): string => name.slice(name.lastIndexOf(BELOW) + 1);
const callerOf = ({ name }: Column): number => Number.parseInt(name, 10);

/** The paths from the root to each function of a stack: in full they would take the square of its depth. */
function beginningsOf(path: Path, numberOf: (beginning: string) => number): string[] {
  const beginnings: string[] = [];
  for (const name of ["all", ...fromOwn(path)])
    beginnings.push(`${numberOf(beginnings.at(-1) ?? "")}${BELOW}${name}`);
  return beginnings;
}

/** From the root on, where that was seen; a function that calls itself stands once. */
function fromOwn({ names, own }: Path): string[] {
  const first = own.at(-1);
  const known = names.at(-1) === "[unknown]" ? names.slice(0, -1) : names;
  const shown = known.slice(0, (first ?? known.length) + 1).reverse();
  const once = shown.filter((name, at) => name !== shown[at - 1]).slice(0, MOST_DEPTH);
  return first === undefined ? [FOREIGN, ...once] : once;
}

type Placed = Pick<FlameFrame, "depth" | "from"> & { node: Column };

/** As many as are drawn, and the outermost of those that are too narrow only now. */
function placedIn(root: Column, calledBy: (one: Column) => readonly Column[]) {
  const whole = mean(root.candidate);
  for (let least = LEAST_SHARE * whole; ; least *= 1.5) {
    const isWide = (one: Column): boolean => mean(one.candidate) >= least;
    const placed: Placed[] = [];
    const gone: Column[] = [];
    const place = (node: Column, depth: number, from: number): void => {
      placed.push({ node, depth, from });
      const called = calledBy(node);
      const narrow = called.filter((one) => !isWide(one));
      gone.push(...narrow.filter((one) => mean(one.reference) >= LEAST_GONE * whole));
      const widest = called.toSorted((a, b) => mean(b.candidate) - mean(a.candidate));
      // What is too narrow is one, if it is wide enough together.
      let next = from;
      for (const one of [...widest.filter(isWide), ...[joined(narrow, node)].filter(isWide)]) {
        place(one, depth + 1, next);
        next += mean(one.candidate) / whole;
      }
    };
    place(root, 0, 0);
    if (placed.length <= MOST_FRAMES) return { placed, gone };
  }
}

function joined(narrow: readonly Column[], node: Column): Column {
  const sums = (arm: "reference" | "candidate"): number[] =>
    node.unit.map((_, round) => sum(narrow.map((one) => one[arm][round] ?? 0)));
  const name = `${narrow.length} narrow ones`;
  return { ...node, name, reference: sums("reference"), candidate: sums("candidate") };
}
