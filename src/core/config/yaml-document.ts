// YAML text to a plain value that knows where each part stood. Takes the part of YAML that a
// configuration needs: one document of mappings with plain keys, lists and scalars; refuses
// aliases, tags and other versions. Pure, and never throws.
import * as yaml from "yaml";

export interface Position {
  /** From 1. */
  line: number;
  /** From 1. */
  column: number;
}

export type Path = readonly (string | number)[];

interface YamlDocument {
  /** Plain objects, arrays and scalars. */
  value: unknown;
  /** Where `path` stands; for what is not there, the nearest mapping that should hold it. */
  locate(path: Path, at: "key" | "value"): Position;
}

interface YamlProblem {
  position: Position;
  text: string;
}

type YamlResult = { ok: true; document: YamlDocument } | { ok: false; problems: YamlProblem[] };

/** Deeper than any configuration; the reader itself gives up at some hundreds. */
const MAX_DEPTH = 32;
/** Names that JavaScript objects already have a meaning for. */
const RESERVED_KEYS = new Set([...Object.getOwnPropertyNames(Object.prototype), "prototype"]);

/** The reader's codes whose own words are for programmers. */
const PLAINER: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: "a second document starts here (---); expected one",
  RESOURCE_EXHAUSTION: "nested too deeply",
  TAB_AS_INDENT: "a tab indents this line; YAML allows spaces only",
};

interface YamlOptions {
  /** Scalars at these paths stay text as written: `1.10` is "1.10" and `yes` is "yes". */
  keepsText: (path: Path) => boolean;
}

export function parseYaml(text: string, options: YamlOptions): YamlResult {
  const lines = new yaml.LineCounter();
  const problems: YamlProblem[] = [];
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const refuse = (offset: number, problem: string): undefined => {
    problems.push({ position: position(offset), text: problem });
    return undefined;
  };

  const document = yaml.parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: "core",
    strict: true,
    // Looked for below: the reader compares every key with every other.
    uniqueKeys: false,
    // Not "silent": that would hide a second document.
    logLevel: "error",
  });
  for (const error of [...document.errors, ...document.warnings]) {
    refuse(error.pos[0], PLAINER[error.code] ?? lowerFirst(error.message));
  }
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== "1.2") {
    refuse(
      0,
      `YAML ${document.directives.yaml.version} is declared; expected 1.2, or no declaration`,
    );
  }
  // What follows a broken place is often misread: say only what the reader said.
  if (problems.length > 0) return { ok: false, problems };

  const toValue = (node: yaml.Node | null, path: Path): unknown => {
    const offset = node?.range?.[0] ?? 0;
    if (path.length > MAX_DEPTH) return refuse(offset, "nested too deeply");
    if (node === null) return null;
    if (yaml.isAlias(node))
      return refuse(offset, "aliases (*name) are not read; write the value out");
    if (yaml.isSeq(node))
      return node.items.map((item, i) => toValue(item as yaml.Node | null, [...path, i]));
    if (yaml.isMap(node)) {
      const object: Record<string, unknown> = {};
      for (const pair of node.items) {
        const key = keyText(pair);
        const keyOffset = (pair.key as yaml.Node | null)?.range?.[0] ?? offset;
        if (key === null) refuse(keyOffset, "a key must be plain text");
        else if (RESERVED_KEYS.has(key)) refuse(keyOffset, `the key ${key} cannot be used`);
        else if (Object.hasOwn(object, key)) {
          refuse(keyOffset, `the key ${JSON.stringify(key)} was given before in the same mapping`);
        } else object[key] = toValue(pair.value as yaml.Node | null, [...path, key]);
      }
      return object;
    }
    if (!yaml.isScalar(node)) return refuse(offset, "this is not understood");
    const { value, source = String(value) } = node;
    const isWord = typeof value === "number" || typeof value === "boolean";
    if (isWord && options.keepsText(path)) return source;
    if (typeof value === "number" && losesDigits(value, source)) {
      return refuse(offset, `${source} is read as the number ${value}; write "${source}" for text`);
    }
    return value;
  };
  const value = toValue(document.contents, []);
  if (problems.length > 0) return { ok: false, problems };

  const indexes = new WeakMap<yaml.YAMLMap, Map<string, yaml.Pair>>();
  const pairOf = (map: yaml.YAMLMap, key: string): yaml.Pair | undefined => {
    const index = indexes.get(map) ?? new Map(map.items.map((pair) => [keyText(pair) ?? "", pair]));
    indexes.set(map, index);
    return index.get(key);
  };
  const locate = (path: Path, at: "key" | "value"): Position => {
    let node = document.contents as yaml.Node | null;
    let key: yaml.Node | null = null;
    for (const [i, part] of path.entries()) {
      if (yaml.isMap(node)) {
        const pair: yaml.Pair | undefined = pairOf(node, String(part));
        if (pair === undefined) return position((key ?? node).range?.[0] ?? 0);
        key = pair.key as yaml.Node;
        node = pair.value as yaml.Node | null;
      } else if (yaml.isSeq(node)) {
        const item = node.items[Number(part)] as yaml.Node | null | undefined;
        if (item === undefined || item === null) break;
        key = item;
        node = item;
      } else break;
      if (i === path.length - 1 && at === "key") return position(key.range?.[0] ?? 0);
    }
    return position((node ?? key)?.range?.[0] ?? 0);
  };
  return { ok: true, document: { value, locate } };
}

/** An id, a date or a code that was meant as text: as a number it would be another one. */
function losesDigits(value: number, source: string): boolean {
  return /^[-+]?0\d/.test(source) || (/^[-+]?\d+$/.test(source) && !Number.isSafeInteger(value));
}

/** Null: a collection, or nothing at all. */
function keyText(pair: yaml.Pair): string | null {
  const key = pair.key;
  if (!yaml.isScalar(key) || key.value === null || key.value === "") return null;
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
