// Brings the load generator: the one that we have built and whose sum we know, else by cargo.
import { hash } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { failureIn, UserError } from "../../src/core/base/errors.ts";
import type { OhaKernel } from "../../src/core/model/kernels.ts";
import { RELEASED, type ReleasedFile } from "./released.ts";

/** For both tries: whoever needs longer is no slower with cargo. */
const DOWNLOAD_MS = 120_000;
/** Far above what the program has, unpacked. */
const MAX_PROGRAM_BYTES = 100_000_000;
const TAIL_LINES = 20;

const BY_HAND =
  "Or put oha 1.14 or later on PATH by hand: `brew install oha`, `cargo binstall oha`, or a binary from https://github.com/hatoo/oha/releases.";

/** Throws a UserError where there is no way to have it. */
export async function installOha(
  kernel: OhaKernel,
  released = RELEASED,
  withinMs = DOWNLOAD_MS,
): Promise<void> {
  const file = released?.version === kernel.version ? released.files[kernel.machine] : undefined;
  if (released === null || file === undefined) return await compileOha(kernel, null);
  const lack = await failureIn(() => downloadOha(kernel, released.address, file, withinMs));
  if (lack?.kind === "interrupted") throw lack;
  if (lack === null) return;
  kernel.progress.note(`oha is not downloaded: ${lack.message}`);
  await compileOha(kernel, lack);
}

/** Throws a UserError where it is not had. */
async function downloadOha(
  kernel: OhaKernel,
  address: string,
  { sha256, bytes: size }: ReleasedFile,
  withinMs: number,
): Promise<void> {
  const { version, machine, folder, progress } = kernel;
  const url = `${address}/oha-${machine}.gz`;
  progress.note(`downloading oha ${version}, ${(size / 1e6).toFixed(1)} MB (once)`);
  const bytes = await fetchTwice(kernel, url, size, withinMs);
  if (bytes.length < size) {
    throw new UserError(`${url}: it ended after ${bytes.length} of ${size} bytes`);
  }
  const found = hash("sha256", bytes);
  if (found !== sha256) {
    const what = `its sha256 is ${found}, not ${sha256}`;
    throw new UserError(`${url}: it is not what was released: ${what}`, {
      next: "Ask who runs the proxy of this machine what changes downloads.",
    });
  }
  // Nothing is unpacked that is not what was built.
  mkdirSync(join(folder, "bin"));
  const program = gunzipSync(bytes, { maxOutputLength: MAX_PROGRAM_BYTES });
  writeFileSync(join(folder, "bin/oha"), program, { mode: 0o755 });
}

/** What was lost on its way is asked for once more, in what is left of the time. */
async function fetchTwice(
  { clock, fetch }: OhaKernel,
  url: string,
  maxBytes: number,
  withinMs: number,
): Promise<Uint8Array> {
  const beganMs = clock.nowMs();
  try {
    return await fetch(url, maxBytes, withinMs);
  } catch (thrown) {
    const leftMs = withinMs + beganMs - clock.nowMs();
    if (!(thrown instanceof UserError) || thrown.kind === "interrupted" || leftMs < 1) throw thrown;
    return await fetch(url, maxBytes, Math.floor(leftMs));
  }
}

async function compileOha(kernel: OhaKernel, lack: UserError | null): Promise<void> {
  const { version, folder, clock, progress } = kernel;
  progress.note(`installing oha ${version} (once; about 7 minutes on two cores)`);
  const beganMs = clock.nowMs();
  let crates = 0;
  const { trouble, isMissing, tail } = await kernel.run(
    // Without its default features this version does not compile.
    ["cargo", "install", "oha", "--version", version, "--locked", "--root", folder],
    {
      // Link-time optimisation doubles the time and gains nothing here.
      CARGO_PROFILE_RELEASE_LTO: "off",
      CARGO_TARGET_DIR: join(folder, "target"),
      CARGO_TERM_COLOR: "never",
      CARGO_TERM_PROGRESS_WHEN: "never",
    },
    (line) => {
      const crate = /^\s*Compiling (\S+)/.exec(line)?.[1];
      if (crate === undefined) return;
      crates += 1;
      const seconds = elapsed(clock.nowMs() - beganMs);
      progress.status(`oha: ${seconds}, ${crates} crates compiled, now ${crate}`);
    },
  );
  if (isMissing) {
    const download = lack === null ? "" : ", could not be downloaded";
    throw new UserError(
      `the load generator oha is not there${download}, and cargo, which installs it, is not on PATH`,
      {
        ...(lack === null ? {} : { detail: lack.message }),
        next: [lack?.next, "Install Rust from https://rustup.rs and try again.", BY_HAND]
          .filter(Boolean)
          .join(" "),
      },
    );
  }
  if (trouble !== null) {
    const after = elapsed(clock.nowMs() - beganMs);
    throw new UserError(
      `oha ${version} could not be installed after ${after}: cargo install ${trouble}`,
      { detail: tail.slice(-TAIL_LINES).join("\n"), next: BY_HAND },
    );
  }
  rmSync(join(folder, "target"), { recursive: true, force: true });
  progress.note(`oha ${version} compiled in ${elapsed(clock.nowMs() - beganMs)}`);
}

function elapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
