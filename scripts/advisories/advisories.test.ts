import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseExceptions, staleExceptions, whatIsOpen } from "./exceptions.ts";
import { readCargo, readGo, readNpm, readOsv } from "./read.ts";

const FILE = readFileSync(join(import.meta.dirname, "../../.github/advisories.yml"), "utf8");

test("no exception of .github/advisories.yml has ended", () => {
  const today = new Date().toISOString().slice(0, 10);
  expect(staleExceptions(parseExceptions(FILE), today)).toEqual([]);
});

const ID = "RUSTSEC-2026-0001";
const FOUND = [{ id: ID, where: "hyper 1.2.3" }];
const until = (day: string) => [{ id: ID, reason: "Only a test uses what is wrong.", until: day }];

test.each([
  ["nothing", [], [], []],
  [
    "an advisory",
    FOUND,
    [],
    [`${ID}: hyper 1.2.3. Update it, or except it in .github/advisories.yml.`],
  ],
  ["one in two lock files", [...FOUND, ...FOUND], [], [expect.stringContaining(ID)]],
  ["one that is excepted", FOUND, until("2026-11-30"), []],
  ["the last day of an exception", FOUND, until("2026-11-27"), []],
  [
    "the day after",
    FOUND,
    until("2026-11-26"),
    [`${ID}: its exception ended on 2026-11-26. Update, or look at it again.`],
  ],
  ["an exception of 90 days", FOUND, until("2027-02-25"), []],
  [
    "one of 91",
    FOUND,
    until("2027-02-26"),
    [`${ID}: its exception may end on 2027-02-25 at the latest, not 2027-02-26.`],
  ],
  [
    "one that is needed no more",
    [],
    until("2026-11-30"),
    [`${ID}: is reported no more. Remove its exception.`],
  ],
] as const)("%s", (_, found, exceptions, expected) => {
  expect(whatIsOpen(found, exceptions, "2026-11-27")).toEqual(expected);
});

test.each([
  ["a reason is missing", `- { id: ${ID}, until: 2026-12-01 }`],
  ["a reason says nothing", `- { id: ${ID}, until: 2026-12-01, reason: later }`],
  ["an end is missing", `- { id: ${ID}, reason: Only a test uses what is wrong. }`],
  [
    "an end is no day",
    `- { id: ${ID}, reason: Only a test uses what is wrong., until: 2026-13-01 }`,
  ],
  [
    "an id is of no database",
    "- { id: CVE-2026-1, reason: Only a test uses it at all., until: 2026-12-01 }",
  ],
])("refused: %s", (_, entry) => {
  expect(() => parseExceptions(`exceptions:\n  ${entry}\n`)).toThrow();
});

const cargoPackage = { name: "hyper", version: "1.2.3", source: "registry+…" };
const sarif = (results: object[]) => ({
  version: "2.1.0",
  runs: [{ tool: { driver: { name: "govulncheck", version: "v1.9.0" } }, results }],
});

/** Shapes as the tools print them, shortened. */
describe("what is read", () => {
  test.each([
    ["npm: nothing", readNpm, { auditReportVersion: 2, vulnerabilities: {}, metadata: {} }, []],
    [
      "npm: an advisory, and who is concerned through it",
      readNpm,
      {
        auditReportVersion: 2,
        vulnerabilities: {
          yaml: {
            severity: "high",
            via: [
              { source: 1, name: "yaml", url: "https://github.com/advisories/GHSA-ch52-4w7c-c8xp" },
            ],
          },
          reader: { severity: "high", via: ["yaml"] },
        },
      },
      [{ id: "GHSA-ch52-4w7c-c8xp", where: "yaml" }],
    ],
    [
      "cargo: a vulnerability, an unsound crate, and one that was withdrawn",
      readCargo,
      {
        vulnerabilities: {
          found: true,
          count: 1,
          list: [{ advisory: { id: ID }, package: cargoPackage }],
        },
        warnings: {
          unsound: [
            { kind: "unsound", package: cargoPackage, advisory: { id: "RUSTSEC-2026-0002" } },
          ],
          yanked: [{ kind: "yanked", package: cargoPackage, advisory: null }],
        },
      },
      [
        { id: ID, where: "hyper 1.2.3" },
        { id: "RUSTSEC-2026-0002", where: "hyper 1.2.3" },
      ],
    ],
    [
      "go: what is called, not what lies beside it",
      readGo("services/gin-api"),
      sarif([
        { ruleId: "GO-2026-1234", level: "error" },
        { ruleId: "GO-2026-1235", level: "warning" },
        { ruleId: "GO-2026-1236", level: "note" },
      ]),
      [{ id: "GO-2026-1234", where: "services/gin-api" }],
    ],
    [
      "osv: what is known of the second",
      readOsv(["idna 3.1", "urllib3 2.0.1"]),
      { results: [{}, { vulns: [{ id: "PYSEC-2026-12", modified: "2026-11-01T00:00:00Z" }] }] },
      [{ id: "PYSEC-2026-12", where: "urllib3 2.0.1" }],
    ],
  ] as const)("%s", (_, readAnswer, json, expected) => {
    expect(readAnswer(json)).toEqual(expected);
  });

  test.each([
    [
      "npm, where the registry does not answer",
      readNpm,
      { message: "405 Method Not Allowed", error: {} },
    ],
    ["cargo, without the list", readCargo, { vulnerabilities: { found: false } }],
    ["go, of another program", readGo("."), { version: "2.1.0", runs: [] }],
    ["osv, of fewer packages", readOsv(["a 1", "b 1"]), { results: [{}] }],
    ["osv, a part", readOsv(["a 1"]), { results: [{ next_page_token: "x" }] }],
    ["osv, of a wrong question", readOsv([]), { code: 3, message: "Invalid query." }],
    ["nothing", readNpm, null],
  ] as const)("no answer is not taken for a good one: %s", (_, readAnswer, json) => {
    expect(() => readAnswer(json)).toThrow();
  });
});
