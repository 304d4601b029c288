// What `npm audit`, `cargo audit`, `govulncheck` and OSV print → which advisories concern us. Pure.
import { z } from "zod";

export interface Found {
  /** As its database calls it: GHSA-…, RUSTSEC-…, GO-…, PYSEC-…. */
  id: string;
  /** Package, crate or module; of Go the folder that was looked at. */
  where: string;
}

const NPM = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(
    z.string(),
    z.object({
      // A name refers to another entry of the same report.
      via: z.array(z.union([z.string(), z.object({ name: z.string(), url: z.url() })])),
    }),
  ),
});

const CARGO_PACKAGE = z.object({ name: z.string(), version: z.string() });
const CARGO_ADVISORY = z.object({ id: z.string() });
const CARGO = z.object({
  vulnerabilities: z.object({
    list: z.array(z.object({ advisory: CARGO_ADVISORY, package: CARGO_PACKAGE })),
  }),
  // Unmaintained and unsound; what was only withdrawn from the registry has no advisory.
  warnings: z.record(
    z.string(),
    z.array(z.object({ advisory: CARGO_ADVISORY.nullable(), package: CARGO_PACKAGE })),
  ),
});

const GO = z.object({
  version: z.literal("2.1.0"),
  runs: z
    .array(
      z.object({
        tool: z.object({ driver: z.object({ name: z.literal("govulncheck") }) }),
        results: z.array(z.object({ ruleId: z.string(), level: z.string() })),
      }),
    )
    .length(1),
});

/** In the order of the questions; of none there are further pages. */
const OSV = z.object({
  results: z.array(
    z.object({
      vulns: z.array(z.object({ id: z.string() })).optional(),
      next_page_token: z.undefined().optional(),
    }),
  ),
});

/** Of OSV's `querybatch` about `packages`. */
export const readOsv =
  (packages: readonly string[]) =>
  (json: unknown): Found[] => {
    const { results } = OSV.parse(json);
    if (results.length !== packages.length) throw new Error("not an answer for each package");
    return results.flatMap(({ vulns = [] }, i) =>
      vulns.map(({ id }) => ({ id, where: packages[i] ?? "" })),
    );
  };

/** Of `npm audit --json`. */
export function readNpm(json: unknown): Found[] {
  return Object.values(NPM.parse(json).vulnerabilities).flatMap(({ via }) =>
    via.flatMap((one) =>
      typeof one === "string" ? [] : [{ id: one.url.split("/").at(-1) ?? "", where: one.name }],
    ),
  );
}

/** Of `cargo audit --json`. */
export function readCargo(json: unknown): Found[] {
  const { vulnerabilities, warnings } = CARGO.parse(json);
  return [...vulnerabilities.list, ...Object.values(warnings).flat()].flatMap(
    ({ advisory, package: { name, version } }) =>
      advisory === null ? [] : [{ id: advisory.id, where: `${name} ${version}` }],
  );
}

/** Of `govulncheck -format sarif` in `folder`; `error` is what the code really calls. */
export const readGo =
  (folder: string) =>
  (json: unknown): Found[] =>
    GO.parse(json).runs.flatMap(({ results }) =>
      results
        .filter(({ level }) => level === "error")
        .map(({ ruleId }) => ({ id: ruleId, where: folder })),
    );
