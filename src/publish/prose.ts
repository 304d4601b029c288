// Foreign sentences inside a comment: what markdownText makes harmless, and what GitHub makes of bare commit ids as well.
import { markdownText } from "../report/foreign.ts";

const SPACE = "\u200b";

/**
 * A commit id, or the first seven digits of one, becomes a link wherever it is no code. What is all digits is a seed or a count; if a commit
 * begins with it after all, the link leads to that commit of this repository and tells nobody.
 */
const COMMIT_ID = /(?<![0-9a-z])(?=\d*[a-f])[0-9a-f]{7,64}(?![0-9a-z])/gi;

/** Several marks on one letter are a script's, dozens are a stain over the lines around. */
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

export function prose(text: string): string {
  return markdownText(text)
    .replace(STACKED_MARKS, "$1")
    .replace(COMMIT_ID, (id) => id.replace(/.{6}(?!$)/g, `$&${SPACE}`));
}
