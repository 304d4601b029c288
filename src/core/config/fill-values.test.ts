// What `before` gives: how it is read, where it is filled in, and what is said without a word of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { fillRequest, writtenForms } from "./fill-values.ts";
import { parseValues } from "./parse-values.ts";

const REQUEST = {
  method: "POST",
  path: "/users/{user}?a={b",
  pathIsPattern: false,
  headers: { Authorization: "Bearer {token}", "Content-Type": "application/json" },
  body: '{"name":"{user}","n":{}}',
};
const VALUES = { user: 'a/"b"', token: "s3cret" };

test("one object of strings is read", () => {
  expect(parseValues('{"token":"a","user_1":"b"}\n')).toEqual({
    ok: true,
    values: { token: "a", user_1: "b" },
  });
  expect(parseValues("{}")).toEqual({ ok: true, values: {} });
});

test("anything else is refused, by name alone", () => {
  const check = (printed: string, why: string): void => {
    expect(parseValues(printed), printed).toEqual({ ok: false, why: expect.stringContaining(why) });
  };
  check("", "not JSON");
  check("hush", "not JSON");
  check('["hush"]', "no object");
  check('"hush"', "no object");
  check("null", "no object");
  check('{"token":7}', "its token is no string");
  check('{"token":null}', "its token is no string");
  check('{"a":"b","token":""}', "its token is empty");
  check('{"a":"b","hush hush":"x"}', "name 2 in its object");
});

test("no answer of before is in what is said of it", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (printed) => {
      const secret = `hush${printed}`;
      for (const text of [secret, JSON.stringify([secret]), JSON.stringify({ token: [secret] })]) {
        const parsed = parseValues(text);
        if (!parsed.ok) expect(parsed.why).not.toContain("hush");
      }
    }),
  );
});

test("path, headers and body are filled, each as it is written there", () => {
  const filled = fillRequest(REQUEST, VALUES);
  expect(filled).toEqual({
    ok: true,
    request: {
      ...REQUEST,
      path: "/users/a%2F%22b%22?a={b",
      headers: { ...REQUEST.headers, Authorization: "Bearer s3cret" },
      body: '{"name":"a/\\"b\\"","n":{}}',
    },
  });
  const text = { ...REQUEST, path: "/", headers: {}, body: "{user}" };
  expect(fillRequest(text, VALUES)).toMatchObject({ request: { body: VALUES.user } });
  expect(writtenForms(VALUES.user)).toEqual(['a/"b"', "a%2F%22b%22", 'a/\\"b\\"']);
});

test("what is missing or does not fit is said by its name", () => {
  const check = (values: Record<string, string>, why: string): void => {
    expect(fillRequest(REQUEST, values)).toEqual({ ok: false, why });
  };
  check(
    { usr: "x", token: "y" },
    "{user} in the path is not among what `before` gave (usr, token)",
  );
  check({ user: "x" }, "{token} in header Authorization is not among what `before` gave (user)");
  check(
    { user: "x", token: "a\nb" },
    "the value of {token} is not one line of printable ASCII, as header Authorization needs it",
  );
});

test("a service may have a before; a pattern is not filled", () => {
  const service = "    ready: /healthz";
  const withBefore = FIRST.replace(service, `${service}\n    before: ./login "{port}"`);
  expect(parse(withBefore).services[0]?.recipe.before).toEqual(["./login", "{port}"]);
  expect(parse(FIRST).services[0]?.recipe.before).toBeUndefined();
  const check = (text: string, words: string): void => expect(refusal(text)).toContain(words);
  check(withBefore.replace('"{port}"', "{ports}"), "did you mean {port}?");
  check(withBefore.replace('{port}"\n', '{socket}"\n'), "the service has no socket: true");
  const pattern = 'request: { pathPattern: "/u/{user}/[0-9]{3}" }';
  check(withBefore.replace("request: GET /hello", pattern), "{user} is not filled in a pattern");
});
