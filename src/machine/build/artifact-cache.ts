// Built artifacts by what they were built of, so that nothing is built twice. An entry is a folder
// with the artifact and its facts; it appears by a rename, whole, goes by one, and is trusted only
// after its hash is checked. Gates that measure at the same time share the cache where they share no
// lock, as in two containers: each keeps a name of its own for every file that it uses.
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { messageOf, UserError } from "../../core/base/errors.ts";
import type { Clock } from "../sys/clock.ts";
import {
  makeCacheFolder,
  makeTemporaryFolder,
  removeOlder,
  TEMPORARY,
  writeFileAtomic,
} from "../sys/files.ts";
import { janitor } from "../sys/janitor.ts";
import { listOrEmpty, orNull, readOrEmpty } from "../sys/or-null.ts";

/** What one build is made of. Two builds with equal parts are the same build. */
export interface KeyParts {
  /** Id of the files that the build reads. */
  tree: string;
  /** Folder of the service in it. */
  dir: string;
  build: readonly string[];
  artifact: string | null;
  toolchain: string;
  /** `NAME=value` of the variables that shape the output. */
  variables: readonly string[];
  /** Operating system and processor architecture. */
  platform: string;
}

/** 64 hexadecimal digits: paths made with it are equally long. */
export function artifactKey(parts: KeyParts): string {
  const { tree, dir, build, artifact, toolchain, variables, platform } = parts;
  const text = JSON.stringify([1, tree, dir, build, artifact, toolchain, variables, platform]);
  return createHash("sha256").update(text).digest("hex");
}

const StoredFactsSchema = z.strictObject({
  schema: z.literal("tailgate.artifact.v1"),
  /** Name of the artifact's file in the entry. */
  file: z.string().regex(/^[^/]+$/),
  sha256: z.string(),
  binaryBytes: z.int().min(0),
  /** Null when it could not be stripped. */
  strippedBytes: z.int().min(0).nullable(),
  buildMs: z.number(),
  toolchain: z.string(),
  /** Which builds were made together. Absent in entries of versions that did not say. */
  session: z.string().optional(),
  /** Of a folder that was built in place: the root of its checkout. */
  root: z.string().optional(),
});
type StoredFacts = z.infer<typeof StoredFactsSchema>;

export interface CacheEntry {
  /** The artifact, by a name that stands until the janitor cleans up, whoever removes the entry. */
  path: string;
  facts: StoredFacts;
}

export type Lookup =
  | { state: "hit"; entry: CacheEntry }
  | { state: "absent" }
  /** The entry was there, could not be trusted, and is removed. */
  | { state: "damaged"; reason: string };

/** The file of an entry that holds a folder which was built in place. */
export const ARCHIVE = "folder.tar";

/** Beyond either bound the least recently used entries go. */
const MAX_ENTRIES = 200;
const MAX_BYTES = 4 * 1024 ** 3;
/** No run lasts longer: what it was about to store is still wanted. */
const IN_USE_MS = 24 * 3600 * 1000;

export class ArtifactCache {
  readonly #folder: string;
  /** Folder of what is used. */
  readonly #build: string;
  readonly #clock: Clock;

  /** Makes its folder in the cache when it is missing. */
  constructor(cache: string, clock: Clock) {
    this.#folder = join(cache, "artifacts");
    this.#build = join(cache, "build");
    this.#clock = clock;
    makeCacheFolder(this.#folder);
  }

  /** Marks the entry as used. Throws a UserError where it cannot be taken, whole as it may be. */
  async find(key: string): Promise<Lookup> {
    const entry = join(this.#folder, key);
    const text = readOrEmpty(factsPath(entry));
    const damaged = async (reason: string): Promise<Lookup> => {
      // Another process removed or replaced it meanwhile.
      if (readOrEmpty(factsPath(entry)) !== text) return this.find(key);
      if (!fs.existsSync(entry)) return { state: "absent" };
      this.drop(key);
      return { state: "damaged", reason };
    };
    const facts = orNull(() => StoredFactsSchema.parse(JSON.parse(text)));
    if (facts === null) return damaged("its facts cannot be read");
    try {
      const path = this.#hold(join(entry, facts.file));
      if ((await hashFile(path)) !== facts.sha256) return damaged("its hash differs");
      const now = this.#nowMs() / 1000;
      // Removed since, or another user's: it is the older for it.
      orNull(() => fs.utimesSync(factsPath(entry), now, now));
      return { state: "hit", entry: { path, facts } };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return damaged(messageOf(error));
      throw this.#explain("take the artifact from", error);
    }
  }

  /** Removes the entry: what was made with what it was is not to be had again. */
  drop(key: string): void {
    const aside = makeTemporaryFolder(this.#folder);
    // Another process may be faster, or it is another user's.
    orNull(() => fs.renameSync(join(this.#folder, key), join(aside, key)));
    janitor.removePath(aside);
  }

  /**
   * Copies `from` in, or moves it where it is an archive. When another process stored the same key
   * meanwhile, that entry stays, and this one is used by us alone: with what else we build it may be
   * compared.
   */
  async store(
    key: string,
    from: string,
    facts: Omit<StoredFacts, "schema" | "sha256" | "binaryBytes">,
  ): Promise<CacheEntry> {
    const entry = join(this.#folder, key);
    const partial = makeTemporaryFolder(this.#folder);
    try {
      const copy = join(partial, facts.file);
      if (facts.root === undefined) fs.copyFileSync(from, copy);
      else fs.renameSync(from, copy);
      const stored: StoredFacts = {
        schema: "tailgate.artifact.v1",
        sha256: await hashFile(copy),
        binaryBytes: fs.statSync(copy).size,
        ...facts,
      };
      writeFileAtomic(factsPath(partial), `${JSON.stringify(stored, null, 2)}\n`);
      const path = this.#hold(copy);
      try {
        fs.renameSync(partial, entry);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
      }
      return { path, facts: stored };
    } catch (error) {
      throw this.#explain("keep the artifact in", error);
    } finally {
      janitor.removePath(partial);
      this.#prune();
    }
  }

  #explain(what: string, error: unknown): UserError {
    if (error instanceof UserError) return error;
    return new UserError(`cannot ${what} ${this.#folder}: ${messageOf(error)}`, {
      next: "Free space there, or set TAILGATE_CACHE to another folder.",
    });
  }

  /** A name of our own, in a folder of this run. */
  #hold(file: string): string {
    const path = join(makeTemporaryFolder(this.#build), basename(file));
    try {
      fs.linkSync(file, path);
    } catch {
      // Another user's, or on a file system without links.
      fs.copyFileSync(file, path);
    }
    return path;
  }

  #prune(): void {
    // What a killed run was about to store.
    removeOlder(this.#folder, this.#nowMs() - IN_USE_MS, TEMPORARY);
    const names = listOrEmpty(this.#folder).filter((name) => !name.startsWith(TEMPORARY));
    const entries = names.flatMap((name) => {
      const path = join(this.#folder, name);
      const facts = fs.statSync(factsPath(path), { throwIfNoEntry: false });
      if (facts === undefined) return [];
      const bytes = listOrEmpty(path).reduce(
        (sum, file) => sum + (fs.statSync(join(path, file), { throwIfNoEntry: false })?.size ?? 0),
        0,
      );
      return [{ name, bytes, usedMs: facts.mtimeMs }];
    });
    entries.sort((a, b) => b.usedMs - a.usedMs);
    let bytes = 0;
    for (const [rank, entry] of entries.entries()) {
      bytes += entry.bytes;
      if (rank >= MAX_ENTRIES || bytes > MAX_BYTES) this.drop(entry.name);
    }
  }

  #nowMs(): number {
    return Date.parse(this.#clock.wallTime());
  }
}

function factsPath(entry: string): string {
  return join(entry, "facts.json");
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(fs.createReadStream(path), hash);
  return hash.digest("hex");
}
