// GitHub's limits of size, checked before anything is sent: its own refusals name no number, and
// some texts it cuts.
import { GitHubError, type GitHubOperation } from "./port.ts";

/** Of the refusals: GitHub's REST documentation does not have them. */
const LIMITS = { body: 65_536, title: 256, description: 140, context: 255 } as const;

/**
 * Fails with "too-large" when a text is longer than GitHub takes. Characters are Unicode code
 * points, as GitHub counts; `length` would count an emoji twice and refuse what GitHub accepts.
 */
export function checkLengths(
  operation: GitHubOperation,
  texts: Partial<Record<keyof typeof LIMITS, string>>,
): void {
  for (const name of Object.keys(LIMITS) as (keyof typeof LIMITS)[]) {
    const text = texts[name];
    const limit = LIMITS[name];
    if (text === undefined || text.length <= limit) continue;
    const chars = [...text].length;
    if (chars > limit) {
      throw new GitHubError(
        "too-large",
        `${operation}: the ${name} has ${chars.toLocaleString("en")} characters, GitHub takes ${limit.toLocaleString("en")}; nothing was sent`,
      );
    }
  }
}
