import { expect, test } from "vitest";
import { type DataSeed, templateArms } from "./dependency.ts";
import {
  parseServerVersion,
  psqlEnvironment,
  SETTINGS,
  serverArguments,
} from "./postgresql-plan.ts";

test("arms of one schema share a template, others do not", () => {
  const check = (candidate: string | null, reference: string | null, expected: object): void => {
    const seedOf = (identity: string | null): DataSeed | undefined =>
      identity === null ? undefined : { files: ["a.sql"], folder: "/f", identity };
    const seeds = { candidate: seedOf(candidate), reference: seedOf(reference) };
    expect(templateArms(seeds)).toEqual(expected);
  };
  check("x", "x", { candidate: "candidate", reference: "candidate" });
  check("x", "y", { candidate: "candidate", reference: "reference" });
  check("x", null, { candidate: "candidate" });
  check(null, null, {});
});

test("each setting reaches the server", () => {
  const argv = serverArguments({ data: "/d", sockets: "/s", port: 5 });
  expect(argv.slice(0, 8)).toEqual(["-D", "/d", "-k", "/s", "-h", "127.0.0.1", "-p", "5"]);
  expect(argv.filter((word) => word === "-c")).toHaveLength(Object.keys(SETTINGS).length);
  expect(argv).toContain("fsync=off");
});

test("psql hears nothing of the servers that we know", () => {
  const env = { PATH: "/bin", PGSERVICE: "prod", PGSSLMODE: "require", LANG: undefined };
  expect(psqlEnvironment(env, 13)).toEqual({ PATH: "/bin" });
  expect(psqlEnvironment(env, 14)).toEqual({
    PATH: "/bin",
    PGOPTIONS: "-c client_connection_check_interval=1s",
  });
});

test("a server's version", () => {
  const check = (text: string, expected: object | null): void =>
    expect(parseServerVersion(text), text).toEqual(expected);
  check("postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)", { version: "15.14", major: 15 });
  check("postgres (PostgreSQL) 9.6.24", { version: "9.6.24", major: 9 });
  check("postgres (PostgreSQL) 18beta1", { version: "18", major: 18 });
  check("", null);
});
