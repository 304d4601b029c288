import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeTestFolder, type TestFolder } from "../../../test/support/build.ts";
import { systemClock } from "../sys/clock.ts";
import { ARCHIVE, ArtifactCache, artifactKey, type KeyParts } from "./artifact-cache.ts";

const PARTS: KeyParts = {
  tree: "1".repeat(40),
  dir: "service",
  build: ["go", "build"],
  artifact: "api",
  toolchain: "go1.26",
  variables: ["GOFLAGS=-trimpath"],
  platform: "linux-x64",
};
const KEY = artifactKey(PARTS);

describe("artifactKey", () => {
  const OTHERS: Partial<KeyParts>[] = [
    { tree: "2".repeat(40) },
    { dir: "." },
    { build: ["go build"] },
    { build: ["go", "build", ""] },
    { artifact: null },
    { toolchain: "go1.27" },
    { variables: [] },
    { platform: "linux-arm64" },
  ];
  test.each(OTHERS)("differs with %o", (other) => {
    expect(artifactKey({ ...PARTS, ...other })).not.toBe(KEY);
  });
  test("is the same for equal parts, and a file name of fixed length", () => {
    expect(artifactKey({ ...PARTS })).toBe(KEY);
    expect(KEY).toMatch(/^[0-9a-f]{64}$/);
  });
});

function open(folder: TestFolder): ArtifactCache {
  return new ArtifactCache(folder.path, systemClock);
}

const facts = { file: "api", strippedBytes: 3, buildMs: 12.5, toolchain: "go1.26" };

/** An artifact, stored under `key`. */
async function store(folder: TestFolder, key = KEY, text = "binary"): Promise<string> {
  const from = folder.write("made/api", text, { mode: 0o755 });
  return (await open(folder).store(key, from, facts)).path;
}

describe("an entry", () => {
  test("comes back as it was stored, executable, with its facts", async () => {
    using folder = makeTestFolder();
    expect(await open(folder).find(KEY)).toEqual({ state: "absent" });
    const path = await store(folder);
    const found = await open(folder).find(KEY);
    expect(found).toMatchObject({
      state: "hit",
      entry: {
        path: expect.stringMatching(/\/build\/tailgate-\w+\/api$/),
        facts: { ...facts, binaryBytes: 6, sha256: expect.stringMatching(/^9a3a45d0/) },
      },
    });
    expect(readFileSync(path, "utf8")).toBe("binary");
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(join(folder.path, "artifacts"))).toEqual([KEY]);
  });

  const DAMAGE: [string, string, string, string][] = [
    ["changed bytes", "api", "binarx", "its hash differs"],
    ["a cut file", "api", "", "its hash differs"],
    ["facts that are no JSON", "facts.json", "{", "its facts cannot be read"],
    ["facts of another kind", "facts.json", '{"file": "../../x"}', "its facts cannot be read"],
  ];
  test.each(DAMAGE)("with %s is removed and said to be damaged", async (_, file, text, reason) => {
    using folder = makeTestFolder();
    await store(folder);
    writeFileSync(join(folder.path, "artifacts", KEY, file), text);
    expect(await open(folder).find(KEY)).toEqual({ state: "damaged", reason });
    expect(await open(folder).find(KEY)).toEqual({ state: "absent" });
    await store(folder);
    expect(await open(folder).find(KEY)).toMatchObject({ state: "hit" });
  });

  test("stored first stays, and each builder uses its own", async () => {
    using folder = makeTestFolder();
    const first = await store(folder, KEY, "first");
    const second = await store(folder, KEY, "second");
    expect(readFileSync(first, "utf8")).toBe("first");
    expect(readFileSync(second, "utf8")).toBe("second");
    expect(readFileSync(join(folder.path, "artifacts", KEY, "api"), "utf8")).toBe("first");
    expect(readdirSync(join(folder.path, "artifacts"))).toEqual([KEY]);
  });

  test("is there for whoever found it when it is dropped, and cannot be found", async () => {
    using folder = makeTestFolder();
    const stored = await store(folder);
    const found = await open(folder).find(KEY);
    open(folder).drop(KEY);
    open(folder).drop(KEY);
    expect(readdirSync(join(folder.path, "artifacts"))).toEqual([]);
    expect(await open(folder).find(KEY)).toEqual({ state: "absent" });
    expect(readFileSync(stored, "utf8")).toBe("binary");
    expect(found.state === "hit" && readFileSync(found.entry.path, "utf8")).toBe("binary");
  });

  test("whose artifact is gone is damaged", async () => {
    using folder = makeTestFolder();
    await store(folder);
    rmSync(join(folder.path, "artifacts", KEY, "api"));
    const reason = expect.stringMatching(/^ENOENT/);
    expect(await open(folder).find(KEY)).toEqual({ state: "damaged", reason });
  });

  test("is not damaged, and stays, where it cannot be taken", async () => {
    using folder = makeTestFolder();
    await store(folder);
    const held = join(folder.path, "build");
    rmSync(held, { recursive: true });
    writeFileSync(held, "");
    await expect(open(folder).find(KEY)).rejects.toThrow(/^cannot make a folder in .*build:/);
    rmSync(held);
    expect((await open(folder).find(KEY)).state).toBe("hit");
  });

  test("stored over a damaged one replaces it", async () => {
    using folder = makeTestFolder();
    await store(folder, KEY, "first");
    writeFileSync(join(folder.path, "artifacts", KEY, "api"), "damage");
    expect((await open(folder).find(KEY)).state).toBe("damaged");
    expect(readFileSync(await store(folder, KEY, "second"), "utf8")).toBe("second");
  });
});

test("what a killed run was about to store goes after a day", async () => {
  using folder = makeTestFolder();
  const longAgo = Date.now() / 1000 - 25 * 3600;
  for (const name of ["tailgate-old", "tailgate-new"])
    folder.write(`artifacts/${name}/api`, "half");
  utimesSync(join(folder.path, "artifacts/tailgate-old"), longAgo, longAgo);
  await store(folder);
  expect(readdirSync(join(folder.path, "artifacts")).sort()).toEqual([KEY, "tailgate-new"].sort());
});

test("the least recently used of more than 200 entries go", async () => {
  using folder = makeTestFolder();
  await store(folder);
  const text = readFileSync(join(folder.path, "artifacts", KEY, "facts.json"), "utf8");
  const now = Date.now() / 1000;
  for (let i = 0; i < 204; i++) {
    const name = `artifacts/${String(i).padStart(64, "0")}`;
    folder.write(`${name}/api`, "binary");
    const path = folder.write(`${name}/facts.json`, text);
    utimesSync(path, now, now - i);
  }
  await store(folder, "f".repeat(64));
  const names = readdirSync(join(folder.path, "artifacts"));
  expect(names).toHaveLength(200);
  expect(names).toContain(KEY);
  expect(names).toContain("0".repeat(64));
  expect(names).not.toContain(`${"0".repeat(61)}203`);
});

test("an archive is moved in, not copied", async () => {
  using folder = makeTestFolder();
  const from = folder.write(ARCHIVE, "archive");
  const more = { ...facts, file: ARCHIVE, root: "/build/a" };
  const { path } = await open(folder).store(KEY, from, more);
  expect(readFileSync(path, "utf8")).toBe("archive");
  expect(existsSync(from)).toBe(false);
});

test("finding an entry counts as using it", async () => {
  using folder = makeTestFolder();
  await store(folder);
  const path = join(folder.path, "artifacts", KEY, "facts.json");
  utimesSync(path, 1000, 1000);
  await open(folder).find(KEY);
  expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(60_000);
});

test("a cache that cannot be written is an error that says what to do", async () => {
  using folder = makeTestFolder();
  const file = folder.write("file", "");
  expect(() => new ArtifactCache(file, systemClock)).toThrow(/file is a file, not a folder/);
  const from = join(folder.path, "nothing here");
  await expect(open(folder).store(KEY, from, facts)).rejects.toThrow(/cannot keep the artifact/);
  expect(existsSync(join(folder.path, "artifacts", KEY))).toBe(false);
  expect(readdirSync(join(folder.path, "artifacts"))).toEqual([]);
});
