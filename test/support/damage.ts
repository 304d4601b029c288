// What becomes of a file of ours in the hands of somebody who is no friend, or of a disk that fails:
// one of many damages for each draw, in its values or in its text.
import type { Prng } from "../../src/core/base/prng.ts";
import { HOSTILE_TEXTS } from "./hostile-text.ts";
import type { Json } from "./places.ts";

type Holder = Record<string, Json>;

export function pick<T>(prng: Prng, items: readonly T[]): T {
  return items[prng.below(items.length)] as T;
}

const NUMBERS = [0, -0, 1, -1, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53, 1e15, 1e-7, 3.3e-320];
const FACTORS = [-1, 0.001, 0.5, 0.9, 1.1, 2, 10, 1e6];
const TEXTS = [
  ...HOSTILE_TEXTS,
  ...["candidate", "reference", "api/echo", "p99", "NaN", "-1", "1e400", "2026-13-45T99:99:99Z"],
];
/** A longer list is no other case, and takes long to write. */
const MOST_COPIED_CHARS = 20_000;

const isHolder = (value: Json | undefined): value is Holder =>
  typeof value === "object" && value !== null && Object.keys(value).length > 0;

/** Any depth is as likely as any other, whatever lies below it. */
function placeIn(prng: Prng, root: Holder): { holder: Holder; key: string } {
  let holder = root;
  for (;;) {
    const key = pick(prng, Object.keys(holder));
    const child = holder[key];
    if (!isHolder(child) || prng.below(8) === 0) return { holder, key };
    holder = child;
  }
}

function put(holder: Holder, key: string, value: Json | undefined): void {
  if (value !== undefined) holder[key] = value;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function changeOne(prng: Prng, root: Holder): void {
  const { holder, key } = placeIn(prng, root);
  const value = holder[key] as Json;
  const list = Array.isArray(value) ? value : [value];
  const [first = null] = list;
  const times = Math.min(600, Math.ceil(MOST_COPIED_CHARS / (JSON.stringify(first).length + 1)));
  const another = placeIn(prng, root);
  const changes: (() => Json | undefined)[] = [
    () => (typeof value === "number" ? value * pick(prng, FACTORS) : undefined),
    () => (typeof value === "number" ? Math.round(value) + pick(prng, [-1, 1]) : null),
    () => pick(prng, NUMBERS),
    () => pick(prng, TEXTS),
    () => (typeof value === "string" ? value + pick(prng, TEXTS) : String(value)),
    () => (typeof value === "boolean" ? !value : pick<Json>(prng, [true, [], {}, [[]], [null]])),
    () => list.toReversed(),
    () => [...list, ...list.slice(0, 3)],
    () => list.toSpliced(prng.below(list.length + 1), 1),
    () => Array.from({ length: times }, () => first),
    () => another.holder[another.key],
    () => ({ ...(isHolder(value) ? value : {}), [pick(prng, TEXTS)]: 1 }),
  ];
  put(holder, key, structuredClone(pick(prng, changes)()));
}

/** Of the same kind as before: what a schema has no word against. */
function nudgeOne(prng: Prng, root: Holder): void {
  const { holder, key } = placeIn(prng, root);
  const value = holder[key] as Json;
  if (typeof value === "number") {
    const now = value * pick(prng, FACTORS);
    holder[key] = Number.isInteger(value) ? Math.round(now) : now;
  } else if (typeof value === "boolean") holder[key] = !value;
  else if (typeof value === "string") holder[key] = pick(prng, [value.slice(1), ...TEXTS]);
  else if (value === null) holder[key] = pick<Json>(prng, [0, "", false]);
  else if (!Array.isArray(value)) delete value[pick(prng, [...Object.keys(value), key])];
  else holder[key] = pick(prng, [value.toReversed(), value.slice(1), [...value, ...value], []]);
}

/** An object of ours as text: some of its values are others, or its text is. */
export function damagedJson(prng: Prng, text: string): string {
  if (prng.below(5) === 0) return damagedText(prng, text);
  const root = JSON.parse(text) as Holder;
  if (prng.below(2) === 0) {
    for (let i = 1 + prng.below(3); i > 0; i--) nudgeOne(prng, root);
    return JSON.stringify(root);
  }
  for (let i = 1 + prng.below(1 + prng.below(6)); i > 0 && isHolder(root); i--) {
    changeOne(prng, root);
  }
  return JSON.stringify(root);
}

const JUNK = [
  ...["{", "}", "[", "]", ",", ":", '"', "\\", "\0", "\ufeff", "\u2028", "\ud800", "//", "\r\n"],
  ...[
    '"__proto__":{"polluted":true},',
    '"schema":null,',
    "1e999",
    "-0",
    "0x10",
    "NaN",
    "9".repeat(400),
  ],
  ...["[".repeat(200), "[".repeat(100_000), '{"a":'.repeat(5000), " ".repeat(100_000)],
  ...['"a":1,'.repeat(6000), `"${"y".repeat(200_000)}"`, "{}\n{}", "null"],
];

function damagedText(prng: Prng, text: string): string {
  const at = prng.below(text.length);
  const length = prng.below(2) === 0 ? 0 : prng.below(60);
  switch (prng.below(6)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(prng.below(text.length));
    default:
      return text.slice(0, at) + pick(prng, JUNK) + text.slice(at + length);
  }
}

const TOKENS = [
  ...[
    "- ",
    "? ",
    "~",
    "*a",
    "&a ",
    "<<: ",
    "!!binary ",
    "!!str ",
    "|\n",
    ">-\n",
    "'",
    '"',
    "#",
    "%YAML 1.1\n---\n",
  ],
  ...[
    "__proto__: ",
    "constructor: ",
    "\t",
    "\n",
    "\r",
    "\0",
    "\ufeff",
    "\u2028",
    "\u202e",
    "\ud800",
  ],
  ...[
    ".inf",
    ".nan",
    "0x1F",
    "1e999",
    "-1",
    "10%",
    "1KiB",
    "{port}",
    "{x}",
    "{db.url}",
    "../../..",
    "true",
  ],
  ...["a: b", "[]", "{}", "99999999999999999999"],
];

/** A configuration in which a few lines, words or characters are others. */
export function damagedYaml(prng: Prng, text: string): string {
  let now = text;
  for (let i = 1 + prng.below(3); i > 0 && now !== ""; i--) now = changedLine(prng, now);
  return now;
}

function changedLine(prng: Prng, text: string): string {
  const lines = text.split("\n");
  const at = prng.below(lines.length);
  const line = lines[at] ?? "";
  const column = prng.below(line.length + 1);
  const token = pick(prng, TOKENS);
  const changes: (() => string[])[] = [
    () => [],
    () => [line, line],
    () => [` ${line}`],
    () => [line.replace(/^ /, "")],
    () => [line.replace(/: .*/, `: ${token}`)],
    () => [line.replace(/\d+/, String(pick(prng, NUMBERS)))],
    () => [line.replace(/\w+:/, `${pick(prng, ["__proto__", "toString", "<<", "a b", "p99"])}:`)],
    () => [line.slice(0, column) + token + line.slice(column)],
    () => [line.slice(0, column) + line.slice(column + 1 + prng.below(9))],
    () => [line.replace(/\/|\{\w+\}/, token)],
    () => [pick(prng, lines)],
    () => Array(pick(prng, [3, 300])).fill(line),
  ];
  return lines.toSpliced(at, 1, ...pick(prng, changes)()).join("\n");
}
