// What a service needs beside itself while it is measured: started once for the run, never frozen.
import type { Places } from "../../../core/config/fill-places.ts";
import { ARMS, type Arm, type DependencyFacts } from "../../../core/model/samples.ts";
import type { Exit } from "../../sys/process.ts";

export interface RunningDependency {
  readonly name: string;
  facts(): Omit<DependencyFacts, "name">;
  /** Leader of its processes. */
  readonly pid: number;
  /**
   * What an arm is told of it. The arms may be given parts of their own: a database, a key space.
   */
  places(arm: Arm): Places;
  /** Forgets what an earlier launch of the arm left behind, so that every launch begins alike. */
  reset(arm: Arm): Promise<void>;
  /** Null while it runs. */
  exit(): Exit | null;
  /** The last lines it printed. */
  tail(): string;
  stop(): Promise<void>;
  /** Absent: a program, whose data is its own affair. */
  template?: Template;
}

/** What the arms' data is made of: a service may fill it before any arm is launched. */
interface Template {
  places(): Places;
  /** Once it is filled. */
  settle(): Promise<void>;
}

/** A command that fills a database before anything is measured. */
export interface SeedCommand {
  argv: readonly string[];
  /** What it inherits. */
  env: Record<string, string>;
}

/** What an arm's data is made of. */
export interface DataSeed {
  /** SQL files of a PostgreSQL database, in order, relative to `folder`. */
  files: readonly string[];
  /** Run after the files; absent: a service fills it, or nothing. */
  seed?: SeedCommand;
  /** Absolute folder of the files and of the command, as the arm's own commit has it. */
  folder: string;
  /** Equal for equal contents. */
  identity: string;
}

export type DataSeeds = Partial<Record<Arm, DataSeed>>;

/** Whose template each arm's data is copied from: arms of equal contents have one. */
export function templateArms(seeds: DataSeeds): Partial<Record<Arm, Arm>> {
  const owner = (arm: Arm): Arm | undefined =>
    ARMS.find((other) => seeds[other]?.identity === seeds[arm]?.identity);
  const filled = ARMS.filter((arm) => seeds[arm] !== undefined);
  return Object.fromEntries(filled.map((arm) => [arm, owner(arm)]));
}

export function contentsOf({ candidate, reference }: DataSeeds): DependencyFacts["contents"] {
  return { candidate: candidate?.identity ?? null, reference: reference?.identity ?? null };
}

export const HOST = "127.0.0.1";

/** `scheme://user@host:port/database` of something on this machine, and its parts. */
export function placesAt(
  port: number,
  { scheme, ...own }: { scheme: string } & Pick<Places, "user" | "database">,
): Places {
  const at = own.user === undefined ? HOST : `${own.user}@${HOST}`;
  const below = own.database === undefined ? "" : `/${own.database}`;
  return { url: `${scheme}://${at}:${port}${below}`, host: HOST, port: String(port), ...own };
}
