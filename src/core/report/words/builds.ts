// Why equal sources build unequally, and what to write so that they do not.
import type { BuildCause, BuildTool } from "../../model/reproducibility.ts";

export const BUILD_CAUSE_WORDS: Readonly<Record<BuildCause, string>> = {
  commit: "the artifact holds the commit that it was built of",
  path: "the artifact holds the folder that it was built in",
  "debug-path": "the debug information holds the folder that it was built in",
  time: "the artifact holds the time at which it was built",
  archive: "the archive holds the times of its files, or their order changes",
  "build-id": "nothing but an identifier of the build differs",
  unknown: "what differs is no commit, no folder and no time",
};

const UNKNOWN =
  "Look for what a generator leaves to chance: the order of a map or of a folder's files, a random number, code that is made in parallel.";

const USUAL: Readonly<Record<BuildCause, string>> = {
  commit:
    "Take the commit out of the build, or list the service's `inputs` in tailgate.yml: its folder then belongs to no repository.",
  path: "Map the folder away (gcc, clang: -ffile-prefix-map=$PWD=.), or take it out of what the build writes.",
  "debug-path":
    "Map the folder away (gcc, clang: -ffile-prefix-map=$PWD=.), or build without debug information.",
  time: "Take the time out of the build (`date`, __DATE__), or set SOURCE_DATE_EPOCH for tools that heed it.",
  archive:
    "Maven: the property project.build.outputTimestamp. Gradle: preserveFileTimestamps = false and reproducibleFileOrder = true. zip: -X, after touch -d @0.",
  "build-id": "Link without it: -Wl,--build-id=none.",
  unknown: UNKNOWN,
};

const BY_TOOL: Readonly<Record<BuildTool, Partial<Record<BuildCause, string>>>> = {
  go: {
    commit:
      "No commit in -ldflags=-X, and go build -buildvcs=false. Or list the service's `inputs` in tailgate.yml: its folder then belongs to no repository.",
    path: "go build -trimpath.",
    "debug-path": "go build -trimpath.",
    time: "Take the time out of -ldflags=-X and of what go generate writes.",
    "build-id": "go build -trimpath; where that is not enough, -ldflags=-buildid=.",
  },
  rust: {
    commit:
      "Take the commit out of build.rs (vergen, git2, `git rev-parse`), or let it take the commit from a variable that only a release sets.",
    path: `Take env!("CARGO_MANIFEST_DIR") and env!("OUT_DIR") out of what is compiled in; include!(concat!(env!("OUT_DIR"), …)) leaves no path. Paths in messages of panics go with build: [sh, -c, 'CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=." exec cargo build --release --locked'].`,
    "debug-path":
      'Cargo.toml: [profile.release] strip = "debuginfo". Or map the folder away: build: [sh, -c, \'CARGO_ENCODED_RUSTFLAGS="--remap-path-prefix=$PWD=." exec cargo build --release --locked\'].',
    time: "Take the time out of build.rs (SystemTime, chrono, vergen), or let it heed SOURCE_DATE_EPOCH, which is to be set where tailgate is started.",
  },
  other: {},
};

export function adviseOnBuild(tool: BuildTool, cause: BuildCause): string {
  return BY_TOOL[tool][cause] ?? USUAL[cause];
}
