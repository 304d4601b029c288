// What `doctor --builds` found: whether equal sources build equally, and what keeps them from it.

export type BuildTool = "go" | "rust" | "other";

/**
 * What of a build is in its artifact: `debug-path` only in debug information, `archive` as times or
 * order of files in a zip.
 */
export type BuildCause =
  | "commit"
  | "path"
  | "debug-path"
  | "time"
  | "archive"
  | "build-id"
  | "unknown";

export interface BuildDifference {
  cause: BuildCause;
  /** Excerpts of the two artifacts, foreign text; empty where there is none. */
  seen: [string, string];
}

export interface BuildExamination {
  service: string;
  /** Null: it is run where it stands, so that no file is made that could be compared. */
  tool: BuildTool | null;
  isEqual: boolean;
  differences: BuildDifference[];
  /** Parts of an executable that differ; empty for other files. */
  sections: string[];
}
