// `{postgres.url}` in an environment -> what it stands for. Pure.

/** What `{name.…}` in a service's environment stands for. */
export const PLACES = ["url", "host", "port"] as const;
export type Place = (typeof PLACES)[number];

const REFERENCE = /\{([A-Za-z0-9][A-Za-z0-9._-]*)\.(url|host|port)\}/g;

/**
 * Replaces what is known; anything else in braces is the service's own affair (config/ has refused
 * misspelt names).
 */
export function fillPlaces(
  text: string,
  placesOf: (name: string) => Record<Place, string> | undefined,
): string {
  return text.replaceAll(
    REFERENCE,
    (written, name: string, place: Place) => placesOf(name)?.[place] ?? written,
  );
}

/** Names of the dependencies that a text refers to, in order. */
export function referencesIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = ""]) => name);
}
