import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FIRST, parse, refusal } from "../../../test/support/configurations.ts";
import { checkGolden } from "../../../test/support/golden.ts";
import { ConfigError } from "./problem.ts";

interface Case {
  name: string;
  /** What stands in the place of a line of the base; lines count from 1. */
  lines: Map<number, string[]>;
  said: string[];
}

function parseCase(block: string): Case {
  const [name = "", ...rest] = block.split("\n");
  const lines: Case["lines"] = new Map();
  const said: string[] = [];
  for (const line of rest) {
    const [, at, text = ""] = /^ {2}(\d+)\|(.*)$/.exec(line) ?? [];
    const [, first, last = first] = /^ {2}(\d+)(?:-(\d+))? left out$/.exec(line) ?? [];
    if (at !== undefined) lines.set(Number(at), [...(lines.get(Number(at)) ?? []), text]);
    else if (first === undefined) said.push(line.trim());
    for (let i = Number(first); i <= Number(last); i++) lines.set(i, []);
  }
  return { name, lines, said };
}

/** Every message, with its place. */
function saidOf(text: string): string[] {
  return refusal(text)
    .split("\n")
    .flatMap((line) => /^tailgate\.yml:(\d+:\d+: .*)$/.exec(line)?.[1] ?? []);
}

describe("what is wrong is said", () => {
  const file = new URL("problem.cases.txt", import.meta.url);
  const [, first = "", ...cases] = readFileSync(file, "utf8").trim().split("\n\n");
  const base = [...parseCase(first).lines.values()].flat();
  const edited = (lines: Case["lines"]): string =>
    [...base, null]
      .flatMap((line, i) => lines.get(i + 1) ?? (line === null ? [] : [line]))
      .map((line) => `${line}\n`)
      .join("");

  test("of more than ninety mistakes in a configuration that is right", () => {
    expect(edited(new Map())).toBe(FIRST);
    expect(cases.length).toBeGreaterThan(90);
  });

  test.each(cases.map(parseCase))("$name", ({ lines, said }) => {
    expect(saidOf(edited(lines))).toEqual(said);
  });

  test.each([
    ["empty", "", "1:1: got null, expected a mapping with version, services, scenarios"],
    [
      "a tab",
      "version: 1\nservices:\n\tapi: 1\n",
      "3:1: a tab indents this line; YAML allows spaces only",
    ],
  ])("%s", (_name, text, said) => {
    expect(saidOf(text)).toEqual([said]);
  });

  test("deep", () => {
    const [said] = saidOf(`${FIRST}metrics: ${"[".repeat(2000)}`);
    expect(said).toMatch(/^12:\d+: nested too deeply$/);
  });

  test("everything at once, in the order of the file", async () => {
    const text = `version: 2
sevrices: {}
services:
  api:
    dir: missing
    build: make && make install
    run: "{artifact} --port {ports}"
    env: { A-B: 1, X: ~ }
  old:
    run: ./old
    port: 8080
  older:
    run: ./older
    port: 8080
    scheme: alternate
    artefact: x
scenarios:
  echo:
    services: [oldest, api]
    request: { path: /echo, bodyFile: nope.json }
    rate: 2/s
  slow:
    request: POST /slow
    rate: fast
metrics:
  p98: { level: gate }
  rss: { margin: 5, absoluteFloor: 1MB }
`;
    await checkGolden("config/refused.txt", `${refusal(text)}\n`);
  });

  test("problems carry their place, for annotations", () => {
    try {
      parse(FIRST.replace("2000/s", "fast"));
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.file).toBe("tailgate.yml");
      expect(error.problems).toMatchObject([
        { position: { line: 11, column: 11 }, path: "scenarios.echo.rate" },
      ]);
    }
  });

  test("two services cannot have one port", () => {
    const legacy = "run: ./x\n    port: 8080\n    scheme: alternate\n";
    const text = FIRST.replace(
      / {2}api:[\s\S]*healthz\n/,
      `  a:\n    ${legacy}  b:\n    ${legacy}`,
    );
    expect(refusal(text)).toContain("services.b.port: 8080 is already the port of a");
  });
});
