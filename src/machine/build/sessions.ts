// Builds that are compared with each other come from one session of this program where nobody can
// tell what compiled them: a compiler may have been replaced between two sessions while make, or
// the shell, stayed what it was.
import type { ArtifactCache, CacheEntry, Lookup } from "./artifact-cache.ts";

/** A build by an opaque tool. */
interface OpaqueBuild {
  service: string;
  key: string;
  /** Hears what is found of it. */
  onLookup(found: Lookup): void;
}

/**
 * Removes from the cache what was not made in one session with all that it is compared with, so
 * that all of it is built now. Returns the services of which something was removed, and puts into
 * `entries` what is used, null where it is built: another gate, with another compiler, may store the
 * same at any moment.
 */
export async function dropMixedSessions(
  builds: readonly OpaqueBuild[],
  cache: ArtifactCache,
  entries: Map<string, CacheEntry | null>,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of new Set(builds.map(({ service }) => service))) {
    const own = builds.filter(({ service }) => service === name);
    if (own.length < 2) continue;
    const sessions = new Set<string | undefined>();
    for (const { key, onLookup } of own) {
      const found = await cache.find(key);
      onLookup(found);
      const entry = found.state === "hit" ? found.entry : null;
      sessions.add(entry?.facts.session);
      entries.set(key, entry);
    }
    if (sessions.size === 1 && !sessions.has(undefined)) continue;
    const present = own.filter(({ key }) => entries.get(key) !== null);
    for (const { key } of own) entries.set(key, null);
    for (const { key } of present) cache.drop(key);
    if (present.length > 0) dropped.push(name);
  }
  return dropped;
}
