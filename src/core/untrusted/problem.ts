// What replaces a result when foreign input cannot be used.

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
