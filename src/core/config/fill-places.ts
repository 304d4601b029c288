// `{postgres.url}` in an environment -> what it stands for. Pure.
import type { Dependency } from "../model/config.ts";

const ALL = ["url", "host", "port"] as const;
/** What `{name.…}` in a service's environment stands for, of each kind. */
export const PLACES = {
  postgresql: [...ALL, "user", "database"],
  redis: [...ALL, "database"],
  program: ALL,
} as const satisfies Record<Dependency["kind"], readonly string[]>;
type Place = (typeof PLACES)[Dependency["kind"]][number];
export type Places = Readonly<Record<(typeof ALL)[number], string>> &
  Readonly<Partial<Record<Place, string>>>;

const REFERENCE = /\{([A-Za-z0-9][A-Za-z0-9._-]*)\.(url|host|port|user|database)\}/g;

/**
 * Replaces what is known; anything else in braces is the service's own affair (config/ has refused
 * misspelt names).
 */
export function fillPlaces(text: string, placesOf: (name: string) => Places | undefined): string {
  return text.replaceAll(
    REFERENCE,
    (written, name: string, place: Place) => placesOf(name)?.[place] ?? written,
  );
}

/** Names of the dependencies that a text refers to, in order. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
