// Paths of a configuration: inside the repository, `/`-separated, the same on every machine. Pure.
import { showValue } from "../base/show-value.ts";
import type { Report } from "./problem.ts";

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

/** `folder` in words. Null: reported. */
export function pathInside(
  folder: string,
  kind: "file" | "folder",
  text: string,
  own: Report,
): string | null {
  const path = relativePath(text);
  if (path !== null && (kind === "folder" || path !== ".")) return path;
  own([], `got ${showValue(text)}, expected a ${kind} inside ${folder}`);
  return null;
}
