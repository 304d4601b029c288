// `{token}` in a scenario's request -> what the service's `before` gave for it. Pure.
import type { Scenario } from "../model/config.ts";

export type Values = Readonly<Record<string, string>>;

type Filled =
  | { ok: true; request: Scenario["request"] }
  /** `why` holds names alone, never a value. */
  | { ok: false; why: string };

const PLACE = /\{([A-Za-z][A-Za-z0-9_]*)\}/g;

/** Names in a text that `before` must give. */
export function valuesWanted(text: string): string[] {
  return [...text.matchAll(PLACE)].map(([, name = ""]) => name);
}

/** A text whose values are not known yet. */
export function withStandIns(text: string): string {
  return text.replaceAll(PLACE, "$1");
}

export function fillRequest(request: Scenario["request"], values: Values): Filled {
  const { path, pathIsPattern, headers, body } = request;
  const texts: [where: string, text: string][] = [
    ["the path", pathIsPattern ? "" : path],
    ...Object.entries(headers).map(([name, text]): [string, string] => [`header ${name}`, text]),
    ["the body", typeof body === "string" ? body : ""],
  ];
  for (const [where, text] of texts) {
    for (const name of valuesWanted(text)) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined) return { ok: false, why: whyMissing(name, where, values) };
      if (where.startsWith("header ") && /[^\t\x20-\x7e]/.test(value)) {
        const why = `the value of {${name}} is not one line of printable ASCII, as ${where} needs it`;
        return { ok: false, why };
      }
    }
  }
  const fill = (text: string, written: (value: string) => string): string =>
    text.replaceAll(PLACE, (_, name: string) => written(values[name] ?? ""));
  return {
    ok: true,
    request: {
      ...request,
      path: pathIsPattern ? path : fill(path, inUrl),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, text]) => [name, fill(text, (value) => value)]),
      ),
      body: typeof body === "string" ? fill(body, isJson(headers) ? insideJson : asItIs) : body,
    },
  };
}

/** Generators escape an apostrophe too. */
function inUrl(value: string): string {
  return encodeURIComponent(value).replaceAll("'", "%27");
}

function whyMissing(name: string, where: string, values: Values): string {
  const given = Object.keys(values);
  const names = given.length === 0 ? "nothing" : given.join(", ");
  return `{${name}} in ${where} is not among what \`before\` gives (${names})`;
}

function isJson(headers: Scenario["request"]["headers"]): boolean {
  return Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === "content-type" && /\bjson\b/i.test(value),
  );
}

const asItIs = (value: string): string => value;
const insideJson = (value: string): string => JSON.stringify(value).slice(1, -1);

/** All forms in which a value goes into a request. */
export function writtenForms(value: string): string[] {
  return [...new Set([value, encodeURIComponent(value), insideJson(value)])];
}
