// Cuts GitHub's OpenAPI description down to what the fake GitHub serves, so that the repository
// needs 160 kB of it and not the package's 385 MB. To renew it, give the script the unpacked
// package, which is no dependency of this repository:
//
//   cd $(mktemp -d) && npm pack @octokit/openapi@23.0.2 && tar xzf *.tgz
//   node <repository>/scripts/trim-openapi.ts package
//
// Texts and examples are left out: they are for readers, and the schemas are what requests and
// answers are held against.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OUT = join(import.meta.dirname, "../test/fake-github/fixtures/openapi.json");

/** Paths below `/repos/{owner}/{repo}`, but for those that begin with `//`. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  "": ["get"],
  "/pulls": ["get", "post"],
  "/pulls/{pull_number}": ["get", "patch"],
  "/issues": ["get", "post"],
  "/issues/{issue_number}": ["patch"],
  "/issues/{issue_number}/comments": ["get", "post"],
  "/issues/comments/{comment_id}": ["delete", "patch"],
  "/statuses/{sha}": ["post"],
  "/contents/{path}": ["get"],
  "/commits/{ref}": ["get"],
  "/commits/{ref}/statuses": ["get"],
  "/compare/{basehead}": ["get"],
  "/collaborators/{username}/permission": ["get"],
  "/git/ref/{ref}": ["get"],
  "/git/refs": ["post"],
  "/git/refs/{ref}": ["patch"],
  "/git/commits": ["post"],
  "/git/commits/{commit_sha}": ["get"],
  "/git/trees": ["post"],
  "/git/trees/{tree_sha}": ["get"],
  "/git/blobs/{file_sha}": ["get"],
  "/actions/runs/{run_id}": ["get"],
  "/actions/runs/{run_id}/artifacts": ["get"],
  "/actions/artifacts/{artifact_id}/{archive_format}": ["get"],
  "//user": ["get"],
};

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write("usage: node scripts/trim-openapi.ts <unpacked @octokit/openapi>\n");
  process.exit(2);
}
const source = JSON.parse(readFileSync(join(folder, "generated/api.github.com.json"), "utf8"));
const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

type Json = string | number | boolean | null | Json[] | JsonObject;
interface JsonObject {
  [key: string]: Json;
}

const paths: JsonObject = {};
for (const [path, methods] of Object.entries(OPERATIONS)) {
  const full = path.startsWith("//") ? path.slice(1) : `/repos/{owner}/{repo}${path}`;
  const item = source.paths[full];
  paths[full] = Object.fromEntries(methods.map((method) => [method, withoutTexts(item[method])]));
}

const components: Record<string, JsonObject> = {};
collect(paths);

const trimmed = {
  openapi: source.openapi,
  info: {
    title: "GitHub v3 REST API, trimmed to what Tailgate uses",
    version: `@octokit/openapi ${version}`,
    license: { name: license },
  },
  paths,
  components,
};
// Keys in one order, so that a renewed copy differs only where GitHub does.
const byName = (_: string, value: Json): Json =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;
writeFileSync(OUT, `${JSON.stringify(trimmed, byName, 1)}\n`);
process.stdout.write(`${OUT}: ${Object.keys(components.schemas ?? {}).length} schemas\n`);

/** A copy without what is only read by people; `properties` are names, whatever they are called. */
function withoutTexts(value: Json, inNames = false): Json {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key]) =>
      inNames ||
      !(
        key.startsWith("x-") ||
        ["description", "summary", "tags", "externalDocs", "example", "examples", "title"].includes(
          key,
        )
      ),
  );
  const copy: JsonObject = Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      withoutTexts(
        item,
        !inNames && ["properties", "headers", "responses", "content"].includes(key),
      ),
    ]),
  );
  // OpenAPI demands a text with each response.
  if (isObject(copy.responses) && !inNames) {
    for (const response of Object.values(copy.responses)) {
      if (isObject(response) && response.$ref === undefined) response.description = "";
    }
  }
  return copy;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Copies every component that is referred to, and those that it refers to. */
function collect(value: Json | undefined): void {
  if (typeof value !== "object" || value === null) return;
  if (isObject(value) && typeof value.$ref === "string") {
    const [, , kind = "", name = ""] = value.$ref.split("/");
    components[kind] ??= {};
    if (components[kind][name] !== undefined) return;
    const component = withoutTexts(source.components[kind][name]);
    if (kind === "responses" && isObject(component)) component.description = "";
    components[kind][name] = component;
    collect(component);
    return;
  }
  for (const item of Object.values(value)) collect(item);
}
