// What makes the tables of a service's database: its own start, or SQL files. Pure.
import { baseOf, folderOf, isUnder } from "./paths.ts";
import type { Language, Program, Schema } from "./proposal.ts";
import type { SourceFile } from "./source-text.ts";
import type { Tree } from "./tree.ts";

const MAX_FILES = 50;
/** 9_b.sql before 10_a.sql. */
const byNumber = new Intl.Collator("en", { numeric: true });
/**
 * Files that take back what others do: of golang-migrate, sqlx, diesel and db-migrate, of Postgrator,
 * Flyway and sqitch.
 */
const WAYS_BACK =
  /(?:[./_-](?:down|undo|rollback|revert)\.sql|\.undo\.[^/]*)$|(?:^|\/)(?:U[\d._]+__[^/]*$|(?:down|undo|rollbacks?|revert|verify)\/[^/]*$)/;
/**
 * Files that take everything away, such as drop_tables.sql and 99-reset.sql. A numbered one that
 * takes one thing away, such as 5_drop_legacy.sql, is a step like others.
 */
const TAKES_AWAY =
  /(?:^|\/)(?:V?[\d._-]+)?(?:drop|reset|clean(?:up)?|tear[_-]?down|truncate|destroy)(?:[_-]?(?:all|everything|db|databases?|tables?|schemas?|data))*(?:\.sql|(?![a-z])(?<=(?:^|\/)[a-z_-]*)[^/]*)$/i;
/** Files with a way back in them would undo what they do. */
const WITH_WAY_BACK =
  /^--\s*(?:\+goose\s+down|migrate:down|\+migrate\s+down|down migration|-*\s*create above|\/\/\s*@undo)/im;
/** Files of the same names for another server. */
const OTHER_SERVER = {
  postgresql: /(?:^|\/)(?:h2|hsqldb|derby|mysql|mariadb|sqlite3?|mssql|oracle)\//i,
  mysql: /(?:^|\/)(?:h2|hsqldb|derby|pg|postgres(?:ql)?|sqlite3?|mssql|oracle)\//i,
};
const FOLDERS = /(?:^|\/)(?:migrations?|schemas?|sql|db|database|initdb(?:\.d)?)$/i;

/** Null: there are none, or none that the server could run in order. */
export function findSchema(
  tree: Tree,
  home: string,
  server: keyof typeof OTHER_SERVER,
): Schema | null {
  const up = tree.paths.filter(
    (path) =>
      path.endsWith(".sql") &&
      ![WAYS_BACK, TAKES_AWAY, OTHER_SERVER[server]].some((pattern) => pattern.test(path)),
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
    .sort((a, b) => placeOf(a) - placeOf(b) || byNumber.compare(a, b));
  if (own.length > MAX_FILES || own.some((path) => WITH_WAY_BACK.test(tree.read(path))))
    return null;
  return { dir, files: own.map((path) => (dir === "." ? path : path.slice(dir.length + 1))) };
}

/** What Flyway repeats, such as views, comes after what it runs once. */
function placeOf(path: string): number {
  if (isWhole(path)) return 0;
  return /^R__/.test(baseOf(path)) ? 2 : 1;
}

/** All tables in one file; what lies beside it are rows. */
function isWhole(path: string): boolean {
  return baseOf(path) === "schema.sql";
}

function folderOfSchema(files: readonly string[]): string | null {
  const whole = files.find(isWhole);
  if (whole !== undefined) return folderOf(whole);
  // A folder for each step, as diesel and Prisma have them.
  const step = files.find((path) => /(?:^|\/)migrations\/[^/]+\/(?:migration|up)\.sql$/.test(path));
  if (step !== undefined) return folderOf(folderOf(step));
  return files.map(folderOf).find((folder) => FOLDERS.test(folder)) ?? null;
}

/** What brings the tables up to date as a program starts. */
const MIGRATES: Record<Language, RegExp> = {
  rust: /\bmigrate!\(|\brun_pending_migrations\(|\bMigrator::up\(|\bmigrations::runner\(/,
  go: /\.AutoMigrate\(|\bgoose\.Up\w*\(|\bmigrate\.New\w*\(/,
  node: /\brunMigrations\(|\.migrate\.latest\(|\bmigrationsRun:\s*true|\bsynchronize:\s*true/,
  python: /\bcommand\.upgrade\(|\.create_all\(/,
  // Its settings are no sources, and its packages tell.
  java: /(?!)/,
};
const MIGRATING_PACKAGES = ["flyway-core", "liquibase-core"];
const MIGRATING_RUN =
  /\balembic upgrade\b|\bflask db upgrade\b|\bmigrate deploy\b|\bmanage\.py migrate\b/;

/** Where it says that the program makes its own tables; null: nothing does. */
export function findMigration(
  { language, packages, run }: Program,
  files: readonly SourceFile[],
): string | null {
  if (MIGRATING_RUN.test([run ?? ""].flat().join(" "))) return "run";
  return (
    packages.find((name) => MIGRATING_PACKAGES.includes(name)) ??
    files.find(({ text }) => MIGRATES[language].test(text))?.path ??
    null
  );
}

const CHECKED_QUERY = /\bquery(?:_as|_scalar|_file|_file_as|_file_scalar)?!\(/;

/** Whether sqlx asks the database about the queries as it compiles them: nothing keeps the answers. */
export function isBuiltWithDatabase(
  { language, packages }: Program,
  tree: Tree,
  files: readonly SourceFile[],
): boolean {
  if (language !== "rust" || !packages.includes("sqlx")) return false;
  const isKept = tree.paths.some((path) => /(?:^|\/)(?:sqlx-data\.json$|\.sqlx\/)/.test(path));
  return !isKept && files.some(({ text }) => CHECKED_QUERY.test(text));
}
