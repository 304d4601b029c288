import { expect, test } from "vitest";
import { fillPlaces, referencesIn } from "./fill-places.ts";

const PLACES = { url: "redis://127.0.0.1:7/0", host: "127.0.0.1", port: "7", database: "0" };

function check(text: string, expected: string) {
  expect(fillPlaces(text, (name) => (name === "redis" ? PLACES : undefined))).toBe(expected);
}

test("what is known is replaced, wherever it stands", () => {
  check("{redis.url}", "redis://127.0.0.1:7/0");
  check("a={redis.host}:{redis.port}/{redis.port}", "a=127.0.0.1:7/7");
  check("{redis.database}", "0");
});

test("what is not ours is left alone", () => {
  for (const text of [
    "",
    "{redis}",
    "{redis.name}",
    "{redis.user}",
    "{other.url}",
    "{{json}}",
    "{ redis.url }",
  ]) {
    check(text, text);
  }
});

test("a replacement is not read again", () => {
  const places = { url: "{redis.port}", host: "$&", port: "7" };
  expect(fillPlaces("{redis.url}{redis.host}", () => places)).toBe("{redis.port}$&");
});

test("references are found in order", () => {
  expect(referencesIn("{a.url} {b-2.port} {a} {c.x} {d.user}")).toEqual(["a", "b-2", "d"]);
});
