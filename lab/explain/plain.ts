// Two pprof files → where lists of functions by difference, as profilers print them, have those of a
// service. Pure.

import type { Own } from "../../satellites/explain/model.ts";
import { functionOf, isOwn, shortName } from "../../satellites/explain/own.ts";
import type { Service } from "../edit.ts";
import type { Rank } from "./runs.ts";

/** Functions of a stack, the leaf first, and nanoseconds of CPU per 1,000 requests. */
export interface Sample {
  names: readonly string[];
  value: number;
}

/** Of a message, whose numbers are whole and below 2⁵³. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  number(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new Error("the profile ends within a number");
      value += (byte % 128) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  bytes(): Uint8Array {
    const length = this.number();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

function fieldsOf(bytes: Uint8Array): [field: number, value: number | Uint8Array][] {
  const reader = new Reader(bytes);
  const fields: [number, number | Uint8Array][] = [];
  while (!reader.isAtEnd) {
    const key = reader.number();
    const [field, type] = [Math.floor(key / 8), key % 8];
    if (type !== 0 && type !== 2) throw new Error(`the profile has a field of type ${type}`);
    fields.push([field, type === 0 ? reader.number() : reader.bytes()]);
  }
  return fields;
}

/** Of profile.proto, by satellites/explain/pprof.ts. */
export function readPprof(bytes: Uint8Array): Sample[] {
  const samples: Uint8Array[] = [];
  const locations = new Map<number, number>();
  const functions = new Map<number, number>();
  const texts: string[] = [];
  const decoder = new TextDecoder();
  for (const [field, value] of fieldsOf(bytes)) {
    if (typeof value === "number") continue;
    if (field === 2) samples.push(value);
    if (field === 4) locations.set(numberIn(value, 1), numberIn(bytesIn(value, 4), 1));
    if (field === 5) functions.set(numberIn(value, 1), numberIn(value, 2));
    if (field === 6) texts.push(decoder.decode(value));
  }
  return samples.map((one) => ({
    names: packed(bytesIn(one, 1)).map(
      (id) => texts[functions.get(locations.get(id) ?? 0) ?? 0] ?? "",
    ),
    value: packed(bytesIn(one, 2))[1] ?? 0,
  }));
}

const fieldIn = (bytes: Uint8Array, field: number) =>
  fieldsOf(bytes).find(([number]) => number === field)?.[1];

/** 0 where there is none, as the format has it. */
function numberIn(bytes: Uint8Array, field: number): number {
  const value = fieldIn(bytes, field);
  return typeof value === "number" ? value : 0;
}

function bytesIn(bytes: Uint8Array, field: number): Uint8Array {
  const value = fieldIn(bytes, field);
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function packed(bytes: Uint8Array): number[] {
  const reader = new Reader(bytes);
  const numbers: number[] = [];
  while (!reader.isAtEnd) numbers.push(reader.number());
  return numbers;
}

const OWN: Readonly<Record<Service, Own>> = {
  "axum-api": { kind: "rust", crates: ["axum-api"] },
  "gin-api": { kind: "go", modules: ["github.com/tailgate/tailgate/services/gin-api"] },
};

export interface Ranked {
  service: Service;
  /** Functions that are none of the service's, and are ranked too. */
  also: readonly string[];
}

/** Of the service's functions, each by the best place of its symbols, in the order of the second list. */
export function rankPlainly(
  { service, also }: Ranked,
  reference: readonly Sample[],
  candidate: readonly Sample[],
): Rank[] {
  const flat = placesOf(reference, candidate, ({ names }) => names.slice(0, 1));
  const cumulative = placesOf(reference, candidate, ({ names }) => names);
  const ranks = new Map<string, Rank>();
  for (const [name, place] of cumulative) {
    const short = shortName(functionOf(name));
    if (!isOwn({ name, file: null }, OWN[service]) && !also.includes(short)) continue;
    const before = ranks.get(short);
    ranks.set(short, {
      function: short,
      flat: least(before?.flat, flat.get(name)),
      cumulative: Math.min(before?.cumulative ?? place, place),
    });
  }
  return [...ranks.values()].toSorted((a, b) => a.cumulative - b.cumulative);
}

/** The best place of these; null: of none. */
export function least(...places: (number | null | undefined)[]): number | null {
  const known = places.filter((one) => one != null);
  return known.length === 0 ? null : Math.min(...known);
}

/** By how much each name rose: 1 and so many as rose more. */
function placesOf(
  reference: readonly Sample[],
  candidate: readonly Sample[],
  namesOf: (sample: Sample) => readonly string[],
): Map<string, number> {
  const rises = new Map<string, number>();
  for (const [sign, samples] of [
    [-1, reference],
    [1, candidate],
  ] as const)
    for (const sample of samples)
      for (const name of new Set(namesOf(sample)))
        rises.set(name, (rises.get(name) ?? 0) + sign * sample.value);
  const sorted = [...rises].toSorted(([, a], [, b]) => b - a);
  return new Map(
    sorted.map(([name, rise]) => [name, 1 + sorted.findIndex(([, other]) => other === rise)]),
  );
}
