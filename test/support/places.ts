// The places of a JSON value, and the value with another one in one of them.
import fc from "fast-check";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Path = (string | number)[];

/** Itself first, then whatever is in it. */
export function pathsOf(value: Json, prefix: Path = []): Path[] {
  const below = Array.isArray(value)
    ? value.flatMap((item, i) => pathsOf(item, [...prefix, i]))
    : typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...prefix, key]))
      : [];
  return [prefix, ...below];
}

export function valueAt(value: Json, path: Path): Json {
  return path.reduce((at, key) => (at as Record<string | number, Json>)[key] as Json, value);
}

/** `junk`: undefined makes the place vanish. */
export function mutated(original: Json, path: Path, junk: Json | undefined): Json | undefined {
  if (path.length === 0) return junk;
  const copy = structuredClone(original);
  const parent = valueAt(copy, path.slice(0, -1)) as Record<string | number, Json>;
  const last = path.at(-1) as string | number;
  if (junk === undefined && Array.isArray(parent)) parent.splice(last as number, 1);
  else if (junk === undefined) delete parent[last];
  else parent[last] = junk;
  return copy;
}

/** Each kind of place as often as any other, however many there are of it in lists. */
export function anyOf(paths: readonly Path[]): fc.Arbitrary<Path> {
  const kinds = Map.groupBy(paths, (path) =>
    JSON.stringify(path.map((key) => (typeof key === "number" ? null : key))),
  );
  return fc.constantFrom(...kinds.values()).chain((alike) => fc.constantFrom(...alike));
}
