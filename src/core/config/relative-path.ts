// Paths of a configuration: inside the repository, `/`-separated, the same on every machine. Pure.

/**
 * Without `.` segments and doubled or trailing slashes, `.` for the folder itself; null when it is
 * absolute or leads out.
 */
export function relativePath(text: string): string | null {
  if (text.startsWith("/") || /[\\\0\n\r]/.test(text)) return null;
  const segments = text.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (segments.includes("..")) return null;
  return segments.length === 0 ? "." : segments.join("/");
}
