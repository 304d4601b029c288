// Whether a handler does nothing but fail, such as one that shows what an error looks like. Pure.
import type { Language } from "../proposal.ts";

/** What stands between an annotation and the body of the function under it. */
const HEADS: Readonly<Record<"braces" | "python", RegExp>> = {
  braces: /^(?:"[^"\n]*"|'[^'\n]*'|[^{;"'])*\{/,
  python: /\bdef\s+\w+\([^)]*\)[^:\n]*:/,
};
const FAILS: Readonly<Record<"braces" | "python", RegExp>> = {
  braces: /^\s*(?:throw\b|(?:panic|todo|unimplemented)!)/,
  python: /^\s*(?:"""[\s\S]*?"""\s*)?raise\b/,
};
/** Longer than any annotation with its function's head. */
const MOST_CHARS = 1000;

/** `index`: of the annotation. A call may name a function that stands elsewhere: it is not looked at. */
export function onlyFails(text: string, index: number, language: Language): boolean {
  const rest = text.slice(index, index + MOST_CHARS).trimStart();
  if (!/^(?:@|#\[)/.test(rest)) return false;
  const kind = language === "python" ? "python" : "braces";
  const head = HEADS[kind].exec(rest);
  return head !== null && FAILS[kind].test(rest.slice(head.index + head[0].length));
}
