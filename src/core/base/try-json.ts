// JSON that may be none: a proxy's page, or half a line.

/** Undefined: it is none. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
