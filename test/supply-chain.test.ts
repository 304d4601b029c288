// What others put into this repository and its jobs: named by commit or hash, renewed, and asked about.
import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { RELEASED } from "../satellites/oha/released.ts";
import { PYTHON_PINS, QUESTIONS } from "../scripts/advisories/questions.ts";
import { FOLLOWS_PINS, readPins, repin, SAYS_PINS } from "../scripts/generate/pins.ts";
import { MACHINES } from "../scripts/packages/manifests.ts";

const ROOT = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
const filesOf = (...patterns: string[]): string[] =>
  git("ls-files", "--cached", "--others", "--exclude-standard", ...patterns).split("\n");

/** Examples to measure, and files of other people's repositories: nothing of ours runs them. */
const NOT_OURS = /^(lab|docs|test|satellites)\//;
const LOCKS = filesOf("*/Cargo.lock", "*/go.mod", "*package-lock.json")
  .filter((path) => !NOT_OURS.test(path))
  .sort();

const PINS = readPins(ROOT);
const pinOf = (action: string): string => PINS.get(action) ?? `uses: ${action}@unknown`;

test.each(FOLLOWS_PINS)("%s names the commits of the examples (npm run generate)", (path) => {
  const text = read(path);
  expect(text).toMatch(/\buses: [\w/-]+@/);
  expect(repin(text, pinOf)).toBe(text);
});

test("no other page and no other source names an action by what can move", () => {
  const said = filesOf("*.md", "*.yml", "src/*.ts", "satellites/*.ts", ":!*.test.ts");
  const named = said.flatMap((path) =>
    [...read(path).matchAll(/\buses: tailgate\/tailgate@(\S+)/g)].map(([, ref]) => ref),
  );
  expect(new Set(named)).toEqual(new Set([/@(\w+)/.exec(pinOf("tailgate/tailgate"))?.[1]]));
});

test("the commit that examples name is one of ours, of the version that is said", (context) => {
  const [, commit = "", version] = /@(\w+) # v(\S+)/.exec(pinOf("tailgate/tailgate")) ?? [];
  if (git("rev-parse", "--is-shallow-repository") === "true") context.skip("a shallow clone");
  expect(git("merge-base", commit, "HEAD")).toBe(commit);
  expect(JSON.parse(git("show", `${commit}:package.json`))).toMatchObject({ version });
});

test("each lock file is asked about", () => {
  const asked = QUESTIONS.map(({ folder, argv: [program] }) => `${folder} ${program}`);
  const programs = { "Cargo.lock": "cargo", "go.mod": "go", "package-lock.json": "npm" };
  const expected = LOCKS.map((path) => {
    const name = path.split("/").at(-1) as keyof typeof programs;
    return `${dirname(path)} ${programs[name]}`;
  });
  expect(asked.sort()).toEqual([...expected, ".ci curl"].sort());
  const pins = filesOf(".ci/*.txt").flatMap((path) => read(path).match(/^\S+==\S+/gm) ?? []);
  expect(PYTHON_PINS.map(({ name, version }) => `${name}==${version}`).sort()).toEqual(pins.sort());
});

/** Which of Dependabot's ecosystems renews a file, by the end of its path. */
const ECOSYSTEMS: [end: string, ecosystem: string][] = [
  ["Cargo.lock", "cargo"],
  ["go.mod", "gomod"],
  ["package-lock.json", "npm"],
  [".txt", "uv"],
];

test("everything that is pinned is renewed", () => {
  const { updates } = parse(read(".github/dependabot.yml"));
  const renewed: string[] = updates.flatMap(
    (one: { "package-ecosystem": string; directory?: string; directories?: string[] }) =>
      (one.directories ?? [one.directory]).map((folder) => `${one["package-ecosystem"]} ${folder}`),
  );
  const locked = [...LOCKS, ".ci/readers.txt"].map((path) => {
    const ecosystem = ECOSYSTEMS.find(([end]) => path.endsWith(end))?.[1];
    return `${ecosystem} ${join("/", dirname(path))}`;
  });
  const workflows = SAYS_PINS.flatMap((pattern) => globSync(pattern, { cwd: ROOT })).map(
    (path) =>
      // For its root Dependabot reads .github/workflows.
      `github-actions ${join("/", dirname(path)).replace("/.github/workflows", "/")}`,
  );
  expect(renewed.sort()).toEqual([...new Set([...locked, ...workflows])].sort());
});

test("no workflow lies where Dependabot does not look", () => {
  const all = filesOf("docs/*.yml", ".github/workflows/*");
  const workflows = all.filter((path) => parse(read(path))?.jobs !== undefined);
  const seen = SAYS_PINS.flatMap((pattern) => globSync(pattern, { cwd: ROOT }));
  expect(workflows.sort()).toEqual(seen.sort());
});

test("the tools of CI are the ones that somebody looked at", () => {
  const lines = read(".ci/run").replaceAll("\\\n", " ").split("\n");
  const installs = lines.filter((line) =>
    /\b(pip"? install|go install|cargo install|npm pack)\b/.test(line),
  );
  expect(installs).toHaveLength(5);
  for (const line of installs) {
    expect(line).toMatch(/--require-hashes|@\$3"|--locked .*@\d+\.\d+\.\d+|sha256sum --check/);
  }
  for (const [, version] of read(".ci/run").matchAll(/^go_tool \S+ \S+ (\S+)$/gm)) {
    expect(version).toMatch(/^v\d+\.\d+\.\d+/);
  }
});

test("the oha that is looked for, built and released is one", () => {
  const version = /^version=(\S+)$/m.exec(read("scripts/build-oha"))?.[1];
  expect(read("src/machine/build/oha-tool.ts")).toContain(`const VERSION = "${version}";`);
  expect(read("scripts/build-oha")).toMatch(/^crate_sha256=[0-9a-f]{64}$/m);
  // Nothing is released yet, or all of it is.
  if (RELEASED === null) return;
  const folder = "https://github.com/tailgate/tailgate/releases/download";
  expect(RELEASED.version).toBe(version);
  expect(RELEASED.address).toMatch(new RegExp(`^${folder}/oha-${version}-\\d+$`));
  expect(Object.keys(RELEASED.files).sort()).toEqual([...MACHINES].sort());
  for (const { sha256 } of Object.values(RELEASED.files)) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
});

test.each(["zizmor", "readers"])("each package of .ci/%s.txt has its hashes", (name) => {
  const packages = read(`.ci/${name}.txt`)
    .split(/\n(?=[a-z])/)
    .slice(1);
  expect(packages.length).toBeGreaterThan(0);
  for (const one of packages) expect(one).toMatch(/^\S+==\S+.* \\\n {4}--hash=sha256:[0-9a-f]{64}/);
  const wanted = read(`.ci/${name}.in`).trim().split("\n");
  expect(packages.map((one) => one.split(" ")[0])).toEqual(expect.arrayContaining(wanted));
});

const FORMS = readdirSync(join(ROOT, ".github/ISSUE_TEMPLATE")).filter(
  (name) => name !== "config.yml",
);

test.each(FORMS)("the form %s asks, and says what it asks for", (name) => {
  const form = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
  expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
  const ids = form.body.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { type, attributes } of form.body) {
    expect(["textarea", "input"]).toContain(type);
    expect(attributes.label).toMatch(/\S/);
  }
});
