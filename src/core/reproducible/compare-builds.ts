// Finds which of folder, commit and time is in an artifact, from two builds that differ in all
// three.
import type { BuildCause, BuildDifference, BuildExamination } from "../model/reproducibility.ts";
import { elfSections } from "./elf.ts";

export interface OnceBuilt {
  bytes: Uint8Array;
  /** Absolute path of the folder that the repository's files lay in. */
  root: string;
  commit: string;
  /** Wall time, ms since 1970. */
  beganMs: number;
  endedMs: number;
}

/** Runs of printable characters, in which a path, a commit or a time stands. */
const PRINTABLE = /[\x20-\x7e]{6,}/g;
/** As `git describe` shortens it. */
const SHORT_COMMIT = 7;
/** Of an excerpt, before and behind what was found. */
const AROUND = 30;
/** Identifiers of a build, which differ because something else does. */
const NAMES_THE_BUILD = /build-?id|^\.gnu_debuglink$/;

export function compareBuilds(
  first: OnceBuilt,
  second: OnceBuilt,
): Pick<BuildExamination, "tool" | "isEqual" | "differences" | "sections"> {
  const sections = { first: elfSections(first.bytes), second: elfSections(second.bytes) };
  const tool = toolOf(sections.first, first.bytes);
  if (areEqual(first.bytes, second.bytes)) {
    return { tool, isEqual: true, differences: [], sections: [] };
  }
  const differing = differingSections(sections.first, sections.second);
  const own = ownTexts(first, second);
  const found = [
    findCommit(first, second, own),
    findPath(first, second, own),
    findTime(first, second, own),
  ].filter((one) => one !== null);
  return {
    tool,
    isEqual: false,
    differences: found.length > 0 ? found : [unexplained(first, differing, own)],
    sections: differing,
  };
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

function toolOf(sections: Map<string, Uint8Array> | null, bytes: Uint8Array) {
  if (sections?.has(".go.buildinfo") === true) return "go";
  // Paths of the standard library in panic messages.
  return sections !== null && textOf(bytes).includes("/rustc/") ? "rust" : "other";
}

function differingSections(
  first: Map<string, Uint8Array> | null,
  second: Map<string, Uint8Array> | null,
): string[] {
  if (first === null || second === null) return [];
  const names = [...new Set([...first.keys(), ...second.keys()])];
  return names.filter((name) => {
    const [a, b] = [first.get(name), second.get(name)];
    return a === undefined || b === undefined || !areEqual(a, b);
  });
}

interface OwnTexts {
  first: string[];
  second: string[];
}

function ownTexts(first: OnceBuilt, second: OnceBuilt): OwnTexts {
  const [a, b] = [first, second].map(({ bytes }) => new Set(textOf(bytes).match(PRINTABLE)));
  return {
    first: [...(a ?? [])].filter((text) => b?.has(text) === false),
    second: [...(b ?? [])].filter((text) => a?.has(text) === false),
  };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

type Search = (text: string, build: OnceBuilt) => { at: number; length: number } | null;

/** What each build's own texts hold of its own. */
function seenIn(
  first: OnceBuilt,
  second: OnceBuilt,
  own: OwnTexts,
  search: Search,
): [string, string] | null {
  const excerpt = (texts: readonly string[], build: OnceBuilt): string | null => {
    for (const text of texts) {
      const found = search(text, build);
      if (found === null) continue;
      const { at, length } = found;
      return text.slice(Math.max(0, at - AROUND), at + length + AROUND);
    }
    return null;
  };
  const [a, b] = [excerpt(own.first, first), excerpt(own.second, second)];
  return a === null || b === null ? null : [a, b];
}

function needle(text: string, wanted: string): ReturnType<Search> {
  const at = text.indexOf(wanted);
  return at < 0 ? null : { at, length: wanted.length };
}

function findCommit(first: OnceBuilt, second: OnceBuilt, own: OwnTexts): BuildDifference | null {
  if (first.commit === second.commit) return null;
  const seen = seenIn(first, second, own, (text, { commit }) =>
    needle(text, commit.slice(0, SHORT_COMMIT)),
  );
  return seen === null ? null : { cause: "commit", seen };
}

function findPath(first: OnceBuilt, second: OnceBuilt, own: OwnTexts): BuildDifference | null {
  const seen = seenIn(first, second, own, (text, { root }) => needle(text, root));
  if (seen === null) return null;
  const isElsewhere = [...(elfSections(first.bytes) ?? [["", first.bytes] as const])].some(
    ([name, content]) => !name.startsWith(".debug_") && textOf(content).includes(first.root),
  );
  return { cause: isElsewhere ? "path" : "debug-path", seen };
}

/** Seconds or finer since 1970. */
const EPOCH = /(?<!\d)([12]\d{9})(?:\d{3}|\d{6}|\d{9})?(?!\d)/g;
/** Minutes and seconds, alike in most time zones. */
const CLOCK = /(?:\d:|\d{8}T?\d\d)(\d\d):?([0-5]\d)/g;
const CLOCK_TOLERANCE_S = 1;

function findTime(first: OnceBuilt, second: OnceBuilt, own: OwnTexts): BuildDifference | null {
  const seen = seenIn(first, second, own, (text, { beganMs, endedMs }) => {
    const fromS = Math.floor(beganMs / 1000) - CLOCK_TOLERANCE_S;
    const toS = Math.floor(endedMs / 1000) + CLOCK_TOLERANCE_S;
    for (const { index: at, 0: shown, 1: seconds } of text.matchAll(EPOCH)) {
      if (Number(seconds) >= fromS && Number(seconds) <= toS) return { at, length: shown.length };
    }
    for (const { index: at, 0: shown, 1: minutes, 2: seconds } of text.matchAll(CLOCK)) {
      const sinceS = (Number(minutes) * 60 + Number(seconds) - fromS) % 3600;
      if ((sinceS + 3600) % 3600 <= toS - fromS) return { at, length: shown.length };
    }
    return null;
  });
  return seen === null ? null : { cause: "time", seen };
}

function unexplained(
  { bytes }: OnceBuilt,
  differing: readonly string[],
  own: OwnTexts,
): BuildDifference {
  const cause: BuildCause = isArchive(bytes)
    ? "archive"
    : differing.length > 0 && differing.every((name) => NAMES_THE_BUILD.test(name))
      ? "build-id"
      : "unknown";
  const seen = [own.first[0] ?? "", own.second[0] ?? ""].map((text) => text.slice(0, 3 * AROUND));
  return { cause, seen: [seen[0] ?? "", seen[1] ?? ""] };
}

/** A zip file, which a jar is. */
function isArchive(bytes: Uint8Array): boolean {
  return textOf(bytes.subarray(0, 4)) === "PK\x03\x04";
}
