// The packages of a release in a real registry: published in order, and run from an empty folder.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { LIST, type Packed, packAll } from "../scripts/packages/pack.ts";
import { tryFindProgram } from "../src/machine/sys/find-program.ts";
import { makeFolder } from "./support/files.ts";
import { makeSources, ROOT } from "./support/packages.ts";
import { findVerdaccio, startRegistry } from "./support/registry.ts";

/** Its first run may install the registry. */
const MOST_MS = 600_000;
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const NAMES = ["tailgate-oha-linux-x64", "tailgate-oha-linux-arm64", "tailgate"];
const OWN = `tailgate-oha-${process.platform}-${process.arch}`;

test("from nothing to a program that has its load generator", {
  timeout: MOST_MS,
}, async (context: TestContext) => {
  const verdaccio = findVerdaccio();
  if ("reason" in verdaccio) return context.skip(verdaccio.reason);
  const folder = makeFolder();
  const packed = join(folder, "packed");
  const empty = join(folder, "empty");
  const home = join(folder, "home");
  for (const one of [packed, empty, home]) mkdirSync(one);
  packAll(makeSources(folder), packed);

  await using registry = await startRegistry(verdaccio.program, folder);
  writeFileSync(join(home, ".npmrc"), `${registry.url.replace("http:", "")}:_authToken=anybody\n`);
  // Node and npm, and no oha.
  const npm = tryFindProgram("npm") ?? "";
  const env = {
    PATH: [dirname(process.execPath), dirname(npm), "/usr/bin", "/bin"].join(":"),
    HOME: home,
    npm_config_registry: registry.url,
  };
  const publish = () =>
    spawnSync(process.execPath, [join(ROOT, "scripts/packages.ts"), "publish", packed], {
      encoding: "utf8",
      env,
    });
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, {
      cwd: empty,
      encoding: "utf8",
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const told = (are: readonly boolean[]) =>
    NAMES.map((name, index) => {
      const words = are[index] ? "is there already" : "is published";
      return `${name}@${version} ${words}\n`;
    }).join("");

  // As a run left it that broke off after its first package.
  const list: Packed[] = JSON.parse(readFileSync(join(packed, LIST), "utf8"));
  const [first, ...rest] = list as [Packed, ...Packed[]];
  run("npm", "publish", join(packed, first.file));
  expect(publish().stdout).toBe(told([true, false, false]));
  expect(publish().stdout).toBe(told([true, true, true]));

  expect(run("npx", "--yes", "tailgate", "--version")).toBe(`tailgate ${version}\n`);
  expect(run("npx", "--yes", "tailgate", "setup")).toMatch(
    new RegExp(`^oha 1\\.16\\.0 at ${home}/\\.npm/_npx/\\w+/node_modules/${OWN}/bin/oha\\n$`),
  );
  expect(readdirSync(empty)).toEqual([]);

  // Which links packages out of a store of its own.
  const pnpm = tryFindProgram("pnpm");
  if (pnpm !== null) expect(run(pnpm, "dlx", "tailgate", "setup")).toContain(`/${OWN}/bin/oha\n`);

  // A project's own, with the package of this machine alone.
  run("npm", "install", "--no-audit", "--no-fund", "tailgate");
  expect(readdirSync(join(empty, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "tailgate",
    OWN,
  ]);
  expect(run("npx", "tailgate", "setup")).toContain(` at ${empty}/node_modules/${OWN}/bin/oha`);

  // Without the package the program is as good, and says what it does instead.
  run("npm", "install", "--no-audit", "--no-fund", "--omit=optional", "tailgate");
  expect(run("npx", "tailgate", "--version")).toBe(`tailgate ${version}\n`);

  // The same version with other bytes is no repetition.
  writeFileSync(join(packed, first.name, "README.md"), "changed\n");
  const repacked = JSON.parse(
    run("npm", "pack", join(packed, first.name), "--json", "--pack-destination", packed),
  );
  const changed = { ...first, integrity: repacked[0].integrity };
  writeFileSync(join(packed, LIST), JSON.stringify([changed, ...rest]));
  const refused = publish();
  expect(refused.stderr).toContain(
    `${first.name}@${version} was published before, with other bytes`,
  );
  expect(refused.stdout).toBe("");
  expect(refused.status).toBe(1);
});
