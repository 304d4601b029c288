// What `before` gives: how it is read, where it is filled in, and what is said without a word of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { fillRequest, writtenForms } from "./fill-values.ts";
import { parseValues, pickValues } from "./parse-values.ts";

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

test("places in an answer are taken as text, numbers as they are written", () => {
  const answer =
    '{"user":{"id":12345678901234567890,"a.b":1},"items":[{"id":1.50},{"id":"x"}],"e":"","n":null,"t":true}';
  const check = (place: string, value: string | null, why = ""): void => {
    expect(pickValues(answer, { it: place }), place).toEqual(
      value === null
        ? { ok: false, why: `values.it: ${why}` }
        : { ok: true, values: { it: value } },
    );
  };
  check("user.id", "12345678901234567890");
  check("items.0.id", "1.50");
  check("items.1.id", "x");
  for (const place of ["id", "user.id.0", "items.2.id", "items.length", "items.1.id.0", "a.b"]) {
    check(place, null, `the answer has no ${place}`);
  }
  check("user", null, "user of the answer is a mapping, expected text or a number");
  check("items", null, "items of the answer is a list, expected text or a number");
  check("n", null, "n of the answer is null, expected text or a number");
  check("t", null, "t of the answer is true or false, expected text or a number");
  check("e", null, "e of the answer is empty");
  expect(pickValues("hush", { it: "a" })).toEqual({ ok: false, why: "the answer is not JSON" });
});

test("whatever is at a place is found there, and nothing of an answer is in what is said of it", () => {
  const key = fc.stringMatching(/^[a-z]{1,3}$/);
  fc.assert(
    fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), fc.string(), (keys, text) => {
      const value = `hush${text}`;
      const answer = keys.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
      const picked = (places: string[]) =>
        pickValues(JSON.stringify(answer), { it: places.join(".") });
      expect(picked(keys)).toEqual({ ok: true, values: { it: value } });
      for (const other of [[...keys, "0"], keys.slice(1), keys.slice(0, -1), ["A"]]) {
        const wrong = picked(other);
        expect(wrong.ok).toBe(false);
        expect(JSON.stringify(wrong)).not.toContain("hush");
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
    "{user} in the path is not among what `before` gives (usr, token)",
  );
  check({ user: "x" }, "{token} in header Authorization is not among what `before` gives (user)");
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

test("a before may be a request, whose names are known beforehand", () => {
  const withBefore = (before: string, request = "GET /hello"): string =>
    FIRST.replace("ready: /healthz", `before: ${before}`).replace("GET /hello", request);
  const recipe = (request: string): unknown =>
    parse(withBefore(`{ request: ${request}, values: { token: user.token } }`)).services[0]?.recipe
      .before;
  const values = { token: "user.token" };
  expect(recipe("POST /login")).toEqual({
    request: { method: "POST", path: "/login", headers: {}, body: null },
    values,
  });
  const json = '{ path: "/in?a={token}", headers: { X-V: 1.10 }, json: { b: [1] } }';
  expect(recipe(json)).toEqual({
    request: {
      method: "POST",
      path: "/in?a={token}",
      headers: { "X-V": "1.10", "content-type": "application/json" },
      body: '{"b":[1]}',
    },
    values,
  });
  expect(recipe("{ method: PUT, path: /in, bodyFile: ./login.json }")).toMatchObject({
    request: { method: "PUT", headers: {}, body: { file: "login.json" } },
  });
  const before = "{ request: POST /login, values: { token: token, first: 0.1 } }";
  const filled = withBefore(before, '{ path: "/{first}", headers: { A: "{token}" } }');
  expect(parse(filled).services[0]?.recipe.before).toMatchObject({
    values: { token: "token", first: "0.1" },
  });
});
