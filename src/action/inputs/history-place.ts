// The input `history`: where the history of runs is kept. Pure.

type HistoryPlace =
  /** A branch, or a ref named whole, of this repository or another (`owner/name`). */
  | { kind: "ref"; repository: string | null; ref: string }
  | { kind: "folder"; path: string }
  | { kind: "off" };

const BRANCH = "tailgate-history";
/** What git takes for a ref, and no more than anybody needs. */
const REF = /^(?!.*(\.\.|\/\/|\.lock$))[A-Za-z0-9][A-Za-z0-9._/-]{0,199}(?<![./])$/;
const REPOSITORY = /^repository:([A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100})$/;

/** Null: it is none of these. */
export function parseHistoryPlace(text: string): HistoryPlace | null {
  if (text === "off") return { kind: "off" };
  const [, repository] = REPOSITORY.exec(text) ?? [];
  if (repository !== undefined) return { kind: "ref", repository, ref: BRANCH };
  if (text.startsWith("folder:")) {
    const path = text.slice("folder:".length);
    return path === "" || path.includes("\0") ? null : { kind: "folder", path };
  }
  const isWhole = text.startsWith("refs/");
  // Where branches and tags are, a branch is named by its name.
  if (isWhole && !/^refs\/(?!heads\/|tags\/|pull\/)[^/]+\/./.test(text)) return null;
  return REF.test(text) ? { kind: "ref", repository: null, ref: text } : null;
}
