// A path that no service knows.

/**
 * `/api/search?q=1` → `/api/zqxjkv?q=1`: as long, so that a page which says what was asked for is as
 * long too, and with the same ending, by which files are told from pages.
 */
export function unknownBeside(path: string): string {
  const unknown = (name: string): string => "".padEnd(name.length || 8, "zqxjkv");
  return path.replace(/(?<=^[^?]*\/)[^/?.]*(?![^?]*\/)/, unknown);
}
