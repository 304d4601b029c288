// How a service is spoken to: what follows for its load, and what is refused before anything runs.
import { expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { requestsDropped } from "../model/load-rules.ts";

/** The first configuration with these lines in its service, and those in its scenario. */
function withLines(service: string[], scenario: string[] = []): string {
  const env = `    env: { ADDR: "127.0.0.1:{port}" }`;
  const rate = "    rate: 2000/s";
  const indented = (lines: string[]) => lines.map((line) => `    ${line}`);
  return FIRST.replace(env, [env, ...indented(service)].join("\n")).replace(
    rate,
    [rate, ...indented(scenario)].join("\n"),
  );
}

const TLS = "tls: { ca: tls/ca.pem }";
const SOCKET = ["socket: true", "run: ./api --listen {socket}"];

test("HTTP/1.1 over TCP without TLS is what nobody has to say", () => {
  const [plain] = parse(withLines([])).services;
  expect(plain?.recipe.transport).toBeUndefined();
  expect(parse(withLines(["protocol: http1", "socket: false"]))).toEqual(parse(withLines([])));
});

test("protocol, TLS and socket go into the recipe", () => {
  const check = (lines: string[], transport: unknown): void => {
    expect(parse(withLines(lines)).services[0]?.recipe.transport, lines.join()).toEqual(transport);
  };
  const tls = { ca: "tls/ca.pem", name: "localhost" };
  check(["protocol: h2c"], { protocol: "h2c", socket: false, tls: null });
  check([TLS], { protocol: "http1", socket: false, tls });
  check(["protocol: h2", TLS], { protocol: "h2", socket: false, tls });
  check(SOCKET, { protocol: "http1", socket: true, tls: null });
  check([...SOCKET, "protocol: h2c"], { protocol: "h2c", socket: true, tls: null });
});

test("with TLS the head of a slice, in which oha stands still, does not count", () => {
  const [plain] = parse(withLines([])).scenarios;
  const [tls] = parse(withLines([TLS])).scenarios;
  if (plain === undefined || tls === undefined) throw new Error("no scenario");
  const kept = (one: typeof tls): number =>
    (one.rateRps * one.slice.durationMs) / 1000 - requestsDropped(one);
  expect(tls.settleMs).toBe(250);
  expect(plain.settleMs).toBeUndefined();
  expect(requestsDropped(tls)).toBe(500);
  expect(kept(tls)).toBeGreaterThan(kept(plain));
});

test("what does not go together, or no generator can send, is said", () => {
  const check = (service: string[], words: string, scenario: string[] = []): void => {
    expect(refusal(withLines(service, scenario)), words).toContain(words);
  };
  check(["protocol: http3"], "expected http1, h2c, h2");
  check(
    ["protocol: h2"],
    "h2 is HTTP/2 over TLS, and there is no tls; expected tls: { ca: <file> }",
  );
  check(["protocol: h2c", TLS], "expected protocol: h2, or no tls");
  check(["tls: {}"], "ca");
  check(["tls: { ca: ../ca.pem }"], "expected a file inside the service's dir");
  check(["tls: { ca: a.pem, name: a b }"], "a host name such as localhost");
  check([...SOCKET, TLS], "oha speaks no TLS over a unix socket");
  check(["socket: true"], "expected {socket} in run or env");
  check(["run: ./api --listen {socket}"], "add socket: true");
  check([...SOCKET, "port: 80"], "leave port out");
  const wrk2 = ["generator: wrk2"];
  const refused = (what: string): string => `api has ${what}; expected generator: oha`;
  check(["protocol: h2c"], refused("protocol: h2c"), wrk2);
  check([TLS], refused("tls"), wrk2);
  check(SOCKET, refused("socket: true"), wrk2);
  check(["protocol: h2c"], "connections of HTTP/2 are kept", ["keepAlive: false"]);
  check([TLS], "over TLS; expected 20 to be left", ["slice: { duration: 200ms }"]);
});
