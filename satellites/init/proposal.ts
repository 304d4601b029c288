// The nouns of `init`: what is seen of a program in a repository, and what is proposed for it.
import type { Compiles } from "../words/compiles.ts";
import type { Samples } from "./parse-samples.ts";

export type Language = "rust" | "go" | "node" | "python" | "java";

/** A command on one line, or its words. */
export type Command = string | readonly string[];

/** How a program learns its port. `seenIn`: the file that says so; null: nobody says it. */
export type PortWay =
  /** `address`: the variable holds `127.0.0.1:{port}`. */
  | { kind: "variable"; name: string; form: "port" | "address"; seenIn: string | null }
  /** Words after those of `run`. */
  | { kind: "words"; words: readonly string[]; seenIn: string }
  /** `{port}` stands in `run` already. */
  | { kind: "run" }
  | { kind: "fixed"; port: number; seenIn: string | null };

/** What a detector tells of one program; the same data from each language. */
export interface Program {
  language: Language;
  name: string;
  /** Where it is built and run, relative to the root; `.` for the root. */
  dir: string;
  /** Where its own files lie: of a member of a workspace, the member's folder. */
  home: string;
  framework: string | null;
  /** Whether its sources listen. A program that does not is proposed only when none does. */
  serves: boolean;
  build: Command | null;
  artifact: string | null;
  /** Null: the artifact is run as it is. */
  run: Command | null;
  /** Packages that it is built with. */
  packages: readonly string[];
  /** Paths of its source files. */
  sources: readonly string[];
  /** How its framework takes a port, whatever the sources say; null: the sources decide. */
  frameworkPort: PortWay | null;
  /** Before every path that it answers, such as /api; empty: nothing. */
  prefix: string;
  /** What `run` compiles at each launch; null: nothing. */
  compiles: Compiles | null;
}

/** What most programs have. */
export const PLAIN_PROGRAM = {
  framework: null,
  serves: true,
  build: null,
  artifact: null,
  run: null,
  frameworkPort: null,
  prefix: "",
  compiles: null,
} satisfies Partial<Program>;

/** One request that a program answers. */
export interface Route {
  method: string;
  /** As written, with its parameters. */
  path: string;
  seenIn: string;
  /** The same with values for the parameters, where a description gives them; null: none does. */
  example: string | null;
}

/** A request that is proposed. */
export interface RequestProposal {
  method: string;
  path: string;
  /** The path as its route has it, with its parameters. */
  pattern: string;
  /** Null: no file names the path. */
  seenIn: string | null;
  /** Parameters in the path have a value of ours. */
  isFilled: boolean;
  /** It was asked, and answered with 2xx. */
  isConfirmed: boolean;
  /** Its answer is compressed for whoever asks for that. Absent: nobody knows. */
  isCompressed?: boolean;
  rate: RateProposal;
}

/** Servers that a configuration starts: by name, and MySQL as a program, where one is installed. */
export type Server = "postgresql" | "redis" | "mysql";

/** What a service needs beside itself. */
export interface Needs {
  servers: readonly { kind: Server; seenIn: string }[];
  /** Variables with the address of a server, as `env` has them. */
  variables: Readonly<Record<string, string>>;
  /** Servers of which no variable was seen; and those of which host and port alone were. */
  withoutVariable: readonly Server[];
  withoutDatabase: readonly Server[];
  /** What the configuration cannot start by name, such as Kafka. */
  others: readonly { name: string; seenIn: string }[];
}

export interface ServiceProposal {
  program: Program;
  /** What its container runs before it, and the file that says so; null: nothing. */
  prepared: { steps: readonly string[]; seenIn: string } | null;
  port: PortWay;
  /** Other ports that it has whatever it is told. */
  alsoListens: readonly FixedPort[];
  /** What limits how often it is asked; null: nothing was seen to. */
  limit: Limit | null;
  /** Null: a TCP connection. */
  readyPath: string | null;
  requests: readonly RequestProposal[];
  /** Routes that could be asked, those that are proposed included. */
  routeCount: number;
  needs: Needs;
  /** What it needs of them. */
  samples: Samples;
  /** Where it says that the service makes its own tables; null: nowhere. */
  migratesIn: string | null;
  /** Null: no SQL was seen, or none that psql could run in order. */
  schema: Schema | null;
  /** The database with these tables must run while it is built. */
  isBuiltWithDatabase: boolean;
  /** What running it has shown; null: it was not run. */
  trial: Trial | null;
}

export interface FixedPort {
  port: number;
  /** The file, and the flag that changes it. */
  seenIn: string;
  flag: string | null;
}

export interface Limit {
  /** The package, or the file that answers 429. */
  seenIn: string;
  /** Variables that may change it. */
  variables: readonly string[];
}

export interface Schema {
  dir: string;
  /** SQL files relative to `dir`, in the order in which they are run. */
  files: readonly string[];
}

export type RateProposal =
  /** A third of what a plain server of its kind does on one core of a small machine, or less. */
  | { kind: "usual"; rps: number }
  /** The same, where what requests cost could not be seen. */
  | { kind: "unsettled"; rps: number }
  /** At most a third of one core. `cpuUs`: microseconds of CPU time that a request took. */
  | { kind: "measured"; rps: number; cpuUs: number };

/** What came of starting a service. */
export type Trial =
  /** `refused`: what was asked and not answered as a load needs it. */
  | { kind: "ran"; startupMs: number; refused: readonly RefusedRequest[] }
  | { kind: "failed"; text: string };

export interface RefusedRequest {
  method: string;
  path: string;
  /** Null: there was no answer. */
  status: number | null;
}
