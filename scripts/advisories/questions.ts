// Whom is asked about what: every folder of ours with a lock file.
import { type Found, readCargo, readGo, readNpm } from "./read.ts";

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
export const QUESTIONS: readonly Question[] = [
  { folder: ".", argv: ["npm", "audit", "--json"], read: readNpm },
  cargo("services/axum-api"),
  cargo("services/axum-api/fuzz"),
  go("services/gin-api"),
  go("services/upstream"),
];
