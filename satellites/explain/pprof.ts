// Launches of one arm → a profile as pprof and speedscope read it: `go tool pprof -diff_base A B`.
// profile.proto of github.com/google/pprof, of which only what a viewer needs is written. Files may
// be compressed with gzip, and need not be.

import type { Arm } from "../../src/core/model/samples.ts";
import { msPerSample } from "./fold.ts";
import type { Frame, Profiled } from "./model.ts";

/** Fields of a message: whole numbers, and nested messages, packed numbers or texts as bytes. */
class Message {
  readonly #bytes: number[] = [];

  number(field: number, value: number): this {
    if (value !== 0) this.#varint(field * 8).#varint(value);
    return this;
  }

  bytes(field: number, value: ArrayLike<number>): this {
    this.#varint(field * 8 + 2).#varint(value.length);
    for (let at = 0; at < value.length; at++) this.#bytes.push(value[at] ?? 0);
    return this;
  }

  packed(field: number, values: readonly number[]): this {
    const inner = new Message();
    for (const value of values) inner.#varint(value);
    return this.bytes(field, inner.done());
  }

  /** Of a whole number from 0 to 2⁵³. */
  #varint(value: number): this {
    let left = value;
    for (; left >= 128; left = Math.floor(left / 128)) this.#bytes.push((left % 128) + 128);
    this.#bytes.push(left);
    return this;
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }
}

/** Two values each: samples, and nanoseconds of CPU per 1,000 requests, as a mean over the launches. */
export function encodePprof(launches: readonly Profiled[], arm: Arm): Uint8Array {
  const mine = launches.filter((one) => one.arm === arm && one.requests > 0);
  const profile = new Message();
  const texts = new Map([["", 0]]);
  const text = (one: string): number => idOf(texts, one);
  const valueType = (type: string, unit: string): Uint8Array =>
    new Message().number(1, text(type)).number(2, text(unit)).done();
  profile.bytes(1, valueType("samples", "count")).bytes(1, valueType("cpu", "nanoseconds"));

  const functions = new Map<string, number>();
  const locations = new Map<string, number>();
  const locationOf = (frame: Frame): number => {
    const { name, file, line } = frame;
    const functionKey = `${name}\n${file}`;
    const isNewFunction = !functions.has(functionKey);
    const functionId = idOf(functions, functionKey, 1);
    if (isNewFunction) {
      const one = new Message().number(1, functionId).number(2, text(name)).number(3, text(name));
      profile.bytes(5, one.number(4, text(file ?? "")).done());
    }
    const key = `${functionId}:${line}`;
    const isNew = !locations.has(key);
    const id = idOf(locations, key, 1);
    const at = new Message().number(1, functionId).number(2, line ?? 0);
    if (isNew) profile.bytes(4, new Message().number(1, id).bytes(4, at.done()).done());
    return id;
  };
  for (const launch of mine) {
    const nanoseconds = (msPerSample(launch) * 1e6) / mine.length;
    for (const { frames, weight } of launch.stacks) {
      const sample = new Message().packed(1, frames.map(locationOf));
      profile.bytes(2, sample.packed(2, [weight, Math.round(weight * nanoseconds)]).done());
    }
  }
  const encoder = new TextEncoder();
  for (const one of texts.keys()) profile.bytes(6, encoder.encode(one));
  return profile.done();
}

function idOf(ids: Map<string, number>, key: string, first = 0): number {
  const id = ids.get(key) ?? ids.size + first;
  ids.set(key, id);
  return id;
}
