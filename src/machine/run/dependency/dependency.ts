// What a service needs beside itself while it is measured: started once for the run, never frozen.
import type { Places } from "../../../core/config/fill-places.ts";
import type { Arm, DependencyFacts, Written } from "../../../core/model/samples.ts";
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
  /** Present while nobody has said whether the arms can share it: until then each has a copy. */
  undecided?: Undecided;
}

/** What the arms' data is made of: a service may fill it before any arm is launched. */
interface Template {
  places(): Places;
  /** Once it is filled. */
  settle(): Promise<void>;
}

export interface Undecided {
  look(arm: Arm): Promise<DataState>;
  /** Null: nothing was written, so that the arms share it. */
  decide(written: Written | null): void;
}

/** What can be told of data without reading all of it. */
export interface DataState {
  /** That have written anything on the server so far, whether or not they were undone. */
  transactions: number;
  /** Equal for equal tables, columns and indexes. */
  schema: string;
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
