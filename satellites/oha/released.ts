// The load generator that `.github/workflows/oha.yml` built, by the sums that its release says. They
// are written here once that release is there: what the bundle holds cannot be exchanged.

export interface ReleasedFile {
  sha256: string;
  bytes: number;
}

export interface OhaRelease {
  /** Of the crate. */
  version: string;
  /** The folder of its files. */
  address: string;
  /** `oha-<machine>.gz`, by machine. */
  files: Readonly<Record<string, ReleasedFile>>;
}

/** Null: there is none yet. */
export const RELEASED: OhaRelease | null = null;
