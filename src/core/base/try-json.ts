// JSON that may be none: a proxy's page, or half a line.

/** Undefined: it is none. */
export function tryJson(text: string, reviver?: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}
