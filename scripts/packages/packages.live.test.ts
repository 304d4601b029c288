// What a release refuses to publish, and where an installed package finds its load generator.
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { makeTestFolder } from "../../test/support/build.ts";
import { sharedFolder } from "../../test/support/files.ts";
import { layOut, makeSources, ROOT, type Sources } from "../../test/support/packages.ts";
import { LIST, type Packed, packAll } from "./pack.ts";
import { publishAll } from "./publish.ts";

const shared = sharedFolder();
const packed = join(shared, "packed");
let sources: Sources;
let list: Packed[];

beforeAll(() => {
  sources = makeSources(shared);
  mkdirSync(packed);
  list = packAll(sources, packed);
});

test("the program is last, and has nothing but what it needs", () => {
  expect(list.map(({ name }) => name)).toEqual([
    "tailgate-oha-linux-x64",
    "tailgate-oha-linux-arm64",
    "tailgate",
  ]);
  const files = execFileSync("tar", ["tzf", join(packed, list.at(-1)?.file ?? "")]).toString();
  expect(files.trim().split("\n").sort()).toMatchSnapshot();
  // Of what is published, nothing runs before it is started.
  for (const { name } of list) {
    const manifest = JSON.parse(readFileSync(join(packed, name, "package.json"), "utf8"));
    expect(manifest).not.toHaveProperty("scripts");
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("private");
  }
});

const REFUSED: [name: string, change: (sources: Sources) => object, words: RegExp][] = [
  ["no release of oha", () => ({ released: null }), /names no release of oha: push a tag oha-/],
  [
    "a machine without a sum",
    ({ released: { files, ...rest } }) => ({
      released: { ...rest, files: { "linux-x64": files["linux-x64"] } },
    }),
    /released\.ts has no sum of oha-linux-arm64\.gz/,
  ],
  [
    "a machine without a program",
    ({ oha }) => drop(oha, "oha-linux-arm64.gz"),
    /ENOENT.*arm64\.gz/,
  ],
  [
    "a program without its licences",
    ({ oha }) => drop(oha, "oha-linux-x64.licences.txt"),
    /ENOENT.*x64\.licences\.txt/,
  ],
  [
    "another program",
    ({ oha }) => write(oha, "oha-linux-x64.gz", "other"),
    /oha-linux-x64\.gz has the sha256 d9298a.* and 5 bytes; satellites\/oha\/released\.ts says/,
  ],
  [
    "too large",
    ({ dist }) => write(dist, "large.cjs", randomBytes(200_000).toString("base64")),
    /^tailgate: 6\d\d,\d+ bytes, and 600,000 at most$/,
  ],
];

function drop(folder: string, name: string): object {
  rmSync(join(folder, name));
  return {};
}

function write(folder: string, name: string, text: string): object {
  writeFileSync(join(folder, name), text);
  return {};
}

test.each(REFUSED)("packs nothing of %s", (_, change, words) => {
  using folder = makeTestFolder();
  for (const part of ["dist", "oha"])
    cpSync(join(shared, part), join(folder.path, part), { recursive: true });
  const own = { ...sources, dist: join(folder.path, "dist"), oha: join(folder.path, "oha") };
  const out = join(folder.path, "out");
  mkdirSync(out);
  expect(() => packAll({ ...own, ...change(own) }, out)).toThrow(words);
});

const UNPUBLISHED: [name: string, change: (list: Packed[]) => Packed[], words: RegExp][] = [
  ["without a machine", ([, ...rest]) => rest, /needs tailgate-oha-linux-x64@\S+, which is not/],
  ["with the program first", (all) => all.toReversed(), /needs tailgate-oha-linux-x64@\S+, which/],
  ["without the program", (all) => all.slice(0, 2), /does not end with tailgate/],
  [
    "with a file that changed",
    ([one, ...rest]) => [{ ...(one as Packed), integrity: "sha512-none" }, ...rest],
    /is not what was packed: sha512-/,
  ],
  [
    "under another name",
    ([one, ...rest]) => [{ ...(one as Packed), version: "9.9.9" }, ...rest],
    /is tailgate-oha-linux-x64@\S+, not tailgate-oha-linux-x64@9\.9\.9/,
  ],
];

test.each(UNPUBLISHED)("publishes nothing of a list %s", async (_, change, words) => {
  using folder = makeTestFolder();
  for (const { file } of list) cpSync(join(packed, file), join(folder.path, file));
  folder.write(LIST, JSON.stringify(change(list)));
  const said: string[] = [];
  await expect(publishAll(folder.path, (line) => said.push(line))).rejects.toThrow(words);
  expect(said).toEqual([]);
});

test("today's command refuses: there is no release of oha yet", () => {
  using folder = makeTestFolder();
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "scripts/packages.ts"), "pack", sources.oha, folder.path],
    { encoding: "utf8" },
  );
  expect(stderr).toMatch(/^packages: satellites\/oha\/released\.ts names no release of oha/);
  expect(status).toBe(1);
});

const OHA = `tailgate-oha-${process.platform}-${process.arch}/bin/oha`;

/** What the program in a folder says that it uses. */
const setUp = (dist: string, home: string, path = "/usr/bin:/bin") =>
  spawnSync(process.execPath, [join(dist, "cli.cjs"), "setup"], {
    encoding: "utf8",
    env: { PATH: path, HOME: home },
  });

test("an installed program takes PATH's oha, else its package's", () => {
  using folder = makeTestFolder();
  layOut(packed, folder.path);
  const dist = join(folder.path, "node_modules/tailgate/dist");
  const own = join(folder.path, "node_modules", OHA);
  expect(setUp(dist, folder.path).stdout).toBe(`oha 1.16.0 at ${own}\n`);
  const other = folder.write("bin/oha", "#!/bin/sh\necho oha 1.15.0\n", { mode: 0o755 });
  const { stdout } = setUp(dist, folder.path, `${dirname(other)}:/usr/bin:/bin`);
  expect(stdout).toBe(`oha 1.15.0 at ${other}\n`);
});

test("a clone runs nothing of the folder that it lies in, where others may write", () => {
  using folder = makeTestFolder();
  const planted = `#!/bin/sh\n/bin/touch '${folder.path}/ran'\necho oha 1.16.0\n`;
  for (const place of ["", "node_modules"])
    folder.write(join(place, OHA), planted, { mode: 0o755 });
  cpSync(sources.dist, join(folder.path, "tailgate/dist"), { recursive: true });
  const { stderr } = setUp(join(folder.path, "tailgate/dist"), folder.path);
  expect(stderr).toContain("cargo, which installs it, is not on PATH");
  expect(existsSync(join(folder.path, "ran"))).toBe(false);
});
