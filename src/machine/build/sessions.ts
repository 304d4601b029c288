// Builds that are compared with each other come from one session of this program where nobody can
// tell what compiled them: a compiler may have been replaced between two sessions while make, or
// the shell, stayed what it was.
import type { ArtifactCache, Lookup } from "./artifact-cache.ts";

/** A build by an opaque tool. */
interface OpaqueBuild {
  service: string;
  key: string;
  /** Hears what is found of it. */
  onLookup(found: Lookup): void;
}

/**
 * Removes from the cache what was not made in one session with all that it is compared with, so
 * that all of it is built now. Returns the services of which something was removed.
 */
export async function dropMixedSessions(
  builds: readonly OpaqueBuild[],
  cache: ArtifactCache,
): Promise<string[]> {
  const dropped: string[] = [];
  for (const name of new Set(builds.map(({ service }) => service))) {
    const own = builds.filter(({ service }) => service === name);
    if (own.length < 2) continue;
    const sessions = new Set<string | undefined>();
    const present: string[] = [];
    for (const { key, onLookup } of own) {
      const found = await cache.find(key);
      onLookup(found);
      sessions.add(found.state === "hit" ? found.entry.facts.session : undefined);
      if (found.state === "hit") present.push(key);
    }
    if (sessions.size === 1 && !sessions.has(undefined)) continue;
    for (const key of present) cache.drop(key);
    if (present.length > 0) dropped.push(name);
  }
  return dropped;
}
