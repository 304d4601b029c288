// What stands in a result's place when something foreign cannot be used: words for a person, never
// a stack trace.

export interface Problem {
  kind: "problem";
  /** One line: what is wrong, and where. May quote foreign text: renderers escape it. */
  text: string;
  /** Further lines, such as the other violations of a schema; empty: none. */
  detail: string;
}

export function problem(text: string, detail = ""): Problem {
  return { kind: "problem", text, detail };
}
