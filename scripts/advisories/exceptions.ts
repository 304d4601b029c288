// Advisories that we live with for a while. Pure.
import { parse } from "yaml";
import { z } from "zod";
import type { Found } from "./read.ts";

/** How far ahead an exception may end. */
const MOST_DAYS = 90;
const DAY_MS = 86_400_000;

const FILE = z.strictObject({
  exceptions: z.array(
    z.strictObject({
      id: z.string().regex(/^(GHSA(-[0-9a-z]{4}){3}|RUSTSEC-\d{4}-\d{4}|(GO|PYSEC)-\d{4}-\d+)$/),
      reason: z.string().min(20),
      /** The last day on which it counts. */
      until: z.iso.date(),
    }),
  ),
});

export type Exception = z.infer<typeof FILE>["exceptions"][number];

export function parseExceptions(text: string): Exception[] {
  return FILE.parse(parse(text)).exceptions;
}

/** What is wrong with exceptions by themselves. `today` as 2026-12-31. */
export function staleExceptions(exceptions: readonly Exception[], today: string): string[] {
  const last = new Date(Date.parse(today) + MOST_DAYS * DAY_MS).toISOString().slice(0, 10);
  return exceptions.flatMap(({ id, until }) => {
    if (until < today)
      return [`${id}: its exception ended on ${until}. Update, or look at it again.`];
    if (until > last)
      return [`${id}: its exception may end on ${last} at the latest, not ${until}.`];
    return [];
  });
}

/** Everything that has to be done, a line each; none: all is well. */
export function whatIsOpen(
  found: readonly Found[],
  exceptions: readonly Exception[],
  today: string,
): string[] {
  const excepted = new Set(exceptions.map(({ id }) => id));
  const reported = new Set(found.map(({ id }) => id));
  const open = found
    .filter(({ id }) => !excepted.has(id))
    .map(({ id, where }) => `${id}: ${where}. Update it, or except it in .github/advisories.yml.`);
  const unused = exceptions
    .filter(({ id }) => !reported.has(id))
    .map(({ id }) => `${id}: is reported no more. Remove its exception.`);
  return [...new Set(open), ...unused, ...staleExceptions(exceptions, today)];
}
