// What a load generator makes of a path. oha reads URLs as browsers do: dot segments are resolved,
// some characters escaped, and what follows # is left out. A first answer must be to the same bytes,
// so that such a path is refused. Pure.

/**
 * Null: as it is written, or no path, as where a file of paths could not be read. oha leaves ^ alone,
 * which browsers escape.
 */
export function changedPath(path: string): string | null {
  if (!path.startsWith("/")) return null;
  const written = path.replaceAll("^", "~");
  const [sent = ""] = new URL(`http://h${written}`).href.slice("http://h".length).split("#");
  return sent === written ? null : sent;
}
