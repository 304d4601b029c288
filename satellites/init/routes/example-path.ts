// A path with parameters -> one that can be asked, with plausible values. Pure.
import { anyOf, as, code, findAll, maybe, WORD } from "../code-pattern.ts";

const NAME = as("name", WORD);
const PARAMETER = anyOf(
  // `{id}`, `{id?}`, `{*rest}`, `{rest...}`, `{id:[0-9]{1,3}}`
  code`{${maybe("*")}${NAME}${maybe("?")}${maybe(anyOf(/:[^{}]*(?:\{[^{}]*\}[^{}]*)*/, "..."))}}`,
  // `<id>`, `<int:id>`, `<rest..>`
  code`<${maybe(code`${WORD}:`)}${NAME}${maybe("..")}>`,
  // `:id`, `:id?`, `:id(\\d+)`
  code`:${NAME}${maybe(code`(${/[^()]*/})`)}${maybe("?")}`,
  // `*`, `*rest`
  code`*${as("name", /\w*/)}`,
);

export function examplePath(path: string): { path: string; isFilled: boolean } {
  // Without Go's mark for "exactly this path".
  const plain = path.replace(/\{\$\}$/, "");
  const filled = findAll(plain, PARAMETER).reduceRight(
    (rest, { index, end, groups: { name = "" } }) =>
      rest.slice(0, index) + exampleValue(name) + rest.slice(end),
    plain,
  );
  return { path: filled, isFilled: filled !== path };
}

/** Parts of names of what is a word. */
const WORDS =
  /name|slug|user$|title|key|word|text|tag|path|file|rest|^q$|query|term|code|city|country/i;

/** By the parameter's name: most are numbers of something. */
export function exampleValue(name: string): string {
  if (/uuid|guid/i.test(name)) return "00000000-0000-4000-8000-000000000001";
  if (/date|day/i.test(name)) return "2026-01-01";
  if (/lang|locale/i.test(name)) return "en";
  return WORDS.test(name) ? "example" : "1";
}

/** Whether a configuration takes it as a path. */
export function isAskable(path: string): boolean {
  return /^\/[\x21-\x7e]*$/.test(path) && !/[{}<>\\^`"|#]/.test(path) && path.length <= 300;
}
