// Whom is asked about what: every folder of ours with a lock file.
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Found, readCargo, readGo, readNpm, readOsv } from "./read.ts";

const ROOT = resolve(import.meta.dirname, "../..");

const GOVULNCHECK = "golang.org/x/vuln/cmd/govulncheck@v1.9.0";

export interface Question {
  /** From the root of the repository. */
  folder: string;
  argv: readonly [string, ...string[]];
  read: (json: unknown) => Found[];
}

const cargo = (folder: string): Question => ({
  folder,
  argv: ["cargo", "audit", "--json"],
  read: readCargo,
});
const go = (folder: string): Question => ({
  folder,
  argv: ["go", "run", GOVULNCHECK, "-format", "sarif", "./..."],
  read: readGo(folder),
});

interface Pin {
  name: string;
  version: string;
}

/** CI's tools: `name==version`, and their hashes in the lines below. */
export const PYTHON_PINS: readonly Pin[] = globSync(".ci/*.txt", { cwd: ROOT })
  .sort()
  .flatMap((path) => {
    const lines = readFileSync(join(ROOT, path), "utf8").matchAll(/^([\w.-]+)==([^\s;]+)/gm);
    return [...lines].map(([, name = "", version = ""]) => ({ name, version }));
  });

/** The database by itself: what would ask it for us would be one more package to ask about. */
const python = (folder: string, pins: readonly Pin[]): Question => {
  const queries = pins.map(({ name, version }) => ({
    package: { ecosystem: "PyPI", name },
    version,
  }));
  const post = ["--silent", "--show-error", "--max-time", "60", "--json"];
  const url = "https://api.osv.dev/v1/querybatch";
  return {
    folder,
    argv: ["curl", ...post, JSON.stringify({ queries }), url],
    read: readOsv(pins.map(({ name, version }) => `${name} ${version}`)),
  };
};

export const QUESTIONS: readonly Question[] = [
  { folder: ".", argv: ["npm", "audit", "--json"], read: readNpm },
  cargo("services/axum-api"),
  cargo("services/axum-api/fuzz"),
  go("services/gin-api"),
  go("services/upstream"),
  python(".ci", PYTHON_PINS),
];
