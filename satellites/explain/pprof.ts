// Launches of one arm → a profile as pprof and speedscope read it: `go tool pprof -diff_base A B`.
// profile.proto of github.com/google/pprof, of which only what a viewer needs is written. Files may
// be compressed with gzip, and need not be.
import type { Arm } from "../../src/core/model/samples.ts";
import { msPerSample } from "./fold.ts";
import type { Frame, Profiled } from "./model.ts";
import { onceFor } from "./once-for.ts";

/** Of a whole number from 0 to 2⁵³. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

/** A field of a message: a whole number, or a nested message, packed numbers or a text as bytes. */
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const bytes = (field: number, value: Iterable<number> & ArrayLike<number>): number[] => [
  ...varint(field * 8 + 2),
  ...varint(value.length),
  ...value,
];

/** Two values each: samples, and nanoseconds of CPU per 1,000 requests, as a mean over the launches. */
export function encodePprof(launches: readonly Profiled[], arm: Arm): Uint8Array {
  const mine = launches.filter((one) => one.arm === arm && one.requests > 0);
  const fields: number[][] = [];
  const texts: string[] = [];
  const text = onceFor((one: string) => texts.push(one) - 1);
  text("");
  const valueType = (type: string, unit: string): number[] =>
    bytes(1, [...number(1, text(type)), ...number(2, text(unit))]);
  fields.push(valueType("samples", "count"), valueType("cpu", "nanoseconds"));

  let places = 0;
  const makePlace = ({ name, file, line }: Frame): number => {
    // Of the function too: it has this place alone.
    const id = ++places;
    const named = [...number(2, text(name)), ...number(3, text(name))];
    fields.push(bytes(5, [...number(1, id), ...named, ...number(4, text(file ?? ""))]));
    const at = [...number(1, id), ...number(2, line ?? 0)];
    fields.push(bytes(4, [...number(1, id), ...bytes(4, at)]));
    return id;
  };
  const placeOf = onceFor(makePlace, ({ name, file, line }) => `${name}\n${file}:${line}`);
  for (const launch of mine) {
    const nanoseconds = (msPerSample(launch) * 1e6) / mine.length;
    for (const { frames, weight } of launch.stacks) {
      const values = [weight, Math.round(weight * nanoseconds)].flatMap(varint);
      fields.push(
        bytes(2, [...bytes(1, frames.map(placeOf).flatMap(varint)), ...bytes(2, values)]),
      );
    }
  }
  const encoder = new TextEncoder();
  for (const one of texts) fields.push(bytes(6, encoder.encode(one)));
  return Uint8Array.from(fields.flat());
}
