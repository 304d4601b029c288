// The Link header (RFC 8288), as far as GitHub's pages need it.

/** Address of the next page, null on the last one. */
export function parseNextLink(header: string | null): string | null {
  for (const part of (header ?? "").split(/,\s*(?=<)/)) {
    const match = /^<([^>]*)>(.*)$/.exec(part.trim());
    if (match !== null && /;\s*rel="?next"?\s*(;|$)/.test(match[2] ?? "")) return match[1] ?? null;
  }
  return null;
}
