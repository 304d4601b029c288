import fc from "fast-check";
import { expect, test } from "vitest";
import { Secrets } from "./secrets.ts";

function masked(text: string, ...values: string[]): string {
  const secrets = new Secrets();
  secrets.add(values);
  return secrets.mask(text);
}

test("values are shown as ***, the longest first", () => {
  const check = (text: string, values: string[], shown: string): void =>
    expect(masked(text, ...values)).toBe(shown);
  check("a token of abc", [], "a token of abc");
  check("abc, abcd and ab", ["ab", "abcd"], "***c, *** and ***");
  check("x", [""], "x");
  check("got abcdefghij", ["abcdefghijklmnop"], "got ***");
  check("got abcdefghij\nmore", ["abcdefghijklmnop"], "got ***\nmore");
  check("got abcd", ["abcdefghijklmnop"], "got abcd");
});

test("no value is left in any text, however often it is in it", () => {
  const value = fc.string({ minLength: 1 }).filter((text) => !"***".includes(text));
  fc.assert(
    fc.property(value, fc.array(fc.string()), (secret, parts) => {
      // A value made of stars may be made by masking itself.
      fc.pre(!secret.includes("*"));
      expect(masked(parts.join(secret), secret)).not.toContain(secret);
    }),
  );
});
