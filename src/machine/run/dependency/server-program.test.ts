import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sharedFolder } from "../../../../test/support/files.ts";
import { findPostgresFolder, findRedis } from "./server-program.ts";

const root = sharedFolder();

function install(folder: string, names: readonly string[], mode = 0o755): string {
  mkdirSync(join(root, folder), { recursive: true });
  for (const name of names) writeFileSync(join(root, folder, name), "", { mode });
  return join(root, folder);
}

const ALL = ["initdb", "postgres", "psql"];

test("the newest PostgreSQL that is whole is taken, numbers read as numbers", () => {
  install("pg/9.6/bin", ALL);
  install("pg/15/bin", ALL);
  install("pg/17/bin", ["psql"]);
  install("pg/docs/bin", ALL);
  expect(findPostgresFolder("", join(root, "pg"))).toBe(join(root, "pg/15/bin"));
});

test("one on the PATH serves where no versions are installed", () => {
  const folder = install("local", ALL);
  expect(findPostgresFolder(`/none:${folder}`, join(root, "none"))).toBe(folder);
});

const checkMissing = (find: () => string, packageName: string): void =>
  expect(find).toThrow(
    expect.objectContaining({ next: `Install it: apt-get install ${packageName}` }),
  );

test("a missing server names its package", () => {
  checkMissing(() => findPostgresFolder("/none", join(root, "none")), "postgresql");
  checkMissing(() => findRedis(install("no-redis", ["redis-server"], 0o644)), "redis-server");
});
