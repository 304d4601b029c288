// The SQL files that make a service's database. Pure.
import { baseOf, folderOf, isUnder } from "./paths.ts";
import type { Schema } from "./proposal.ts";
import type { Tree } from "./tree.ts";

const MAX_FILES = 50;
/** Files with a way back in them would undo what they do. */
const WITH_WAY_BACK = /^--\s*(?:\+goose\s+down|migrate:down|\+migrate\s+down)/im;
const FOLDERS = /(?:^|\/)(?:migrations?|schemas?|sql|db|database|initdb(?:\.d)?)$/i;

/** Null: there are none, or none that psql could run in order. */
export function findSchema(tree: Tree, home: string): Schema | null {
  const up = tree.paths.filter(
    (path) => path.endsWith(".sql") && !/(?:\.|\/)down\.sql$/.test(path),
  );
  const near = up.filter((path) => isUnder(path, home));
  const files = near.length > 0 ? near : up;
  const dir = folderOfSchema(files);
  if (dir === null) return null;
  const own = files
    .filter(
      (path) =>
        folderOf(path) === dir || /^[^/]+\/(?:migration|up)\.sql$/.test(path.slice(dir.length + 1)),
    )
    .sort();
  if (own.length > MAX_FILES || own.some((path) => WITH_WAY_BACK.test(tree.read(path))))
    return null;
  return { dir, files: own.map((path) => (dir === "." ? path : path.slice(dir.length + 1))) };
}

function folderOfSchema(files: readonly string[]): string | null {
  const whole = files.find((path) => baseOf(path) === "schema.sql");
  if (whole !== undefined) return folderOf(whole);
  // A folder for each step, as diesel and Prisma have them.
  const step = files.find((path) => /(?:^|\/)migrations\/[^/]+\/(?:migration|up)\.sql$/.test(path));
  if (step !== undefined) return folderOf(folderOf(step));
  return files.map(folderOf).find((folder) => FOLDERS.test(folder)) ?? null;
}
