// GitHub's limits of size, checked before anything is sent: its own refusals name no number, and
// some texts it cuts.
import { GitHubError, type GitHubOperation } from "./port.ts";

/**
 * Body of a comment, an issue or a pull request; not in GitHub's REST documentation, but in its
 * refusals.
 */
const MAX_BODY_CHARS = 65_536;
/** GitHub's refusal: "description is too long (maximum is 140 characters)". */
const MAX_STATUS_DESCRIPTION_CHARS = 140;
/** GitHub's refusal: "context is too long (maximum is 255 characters)". */
const MAX_STATUS_CONTEXT_CHARS = 255;
/** GitHub's refusal: "title is too long (maximum is 256 characters)". */
const MAX_TITLE_CHARS = 256;

const LIMITS = {
  body: MAX_BODY_CHARS,
  title: MAX_TITLE_CHARS,
  description: MAX_STATUS_DESCRIPTION_CHARS,
  context: MAX_STATUS_CONTEXT_CHARS,
} as const;

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
