// Builds a reference service and runs it on a free port.
import { execFileSync, spawn } from "node:child_process";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

export const SERVICES = resolve(import.meta.dirname, "../../services");

const BUILDS: Readonly<Record<string, { build: readonly string[]; binary: string }>> = {
  "axum-api": {
    // Not the release build: the service's own tests have built this one.
    build: ["cargo", "build", "--locked"],
    binary: "target/debug/axum-api",
  },
  "gin-api": {
    build: ["go", "build", "-trimpath", "-buildvcs=false", "-o", "bin/gin-api", "."],
    binary: "bin/gin-api",
  },
};

export const SERVICE_NAMES = Object.keys(BUILDS);

export interface StartedService {
  /** `http://127.0.0.1:port`. */
  origin: string;
  pid: number;
  /** Asks it to end, and says with which code it did. */
  stop(): Promise<number | null>;
}

/**
 * What the services depend on, where somebody has started it: `tailgate with axum-api -- …` sets
 * these.
 */
const DEPENDENCIES = ["DATABASE_URL", "REDIS_URL", "UPSTREAM_URL"] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

/** null when any of them is not there; the caller says `skipped: …`. */
export function dependencyUrls(): Record<Dependency, string> | null {
  const urls = DEPENDENCIES.map((name) => [name, process.env[name] ?? ""] as const);
  return urls.every(([, url]) => url !== "")
    ? (Object.fromEntries(urls) as Record<Dependency, string>)
    : null;
}

export const NO_DEPENDENCIES = `${DEPENDENCIES.join(", ")} not set`;

export async function startService(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<StartedService> {
  const recipe = BUILDS[name];
  if (recipe === undefined) throw new Error(`no service ${name}`);
  const cwd = join(SERVICES, name);
  const [program = "", ...args] = recipe.build;
  execFileSync(program, args, { cwd, stdio: "ignore" });
  const child = spawn(join(cwd, recipe.binary), [], {
    env: { ADDR: "127.0.0.1:0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise<number | null>((done) => child.once("exit", done));
  for await (const line of createInterface(child.stdout)) {
    return {
      origin: line.replace("listening on ", ""),
      pid: child.pid ?? 0,
      stop: () => {
        child.kill("SIGTERM");
        return exited;
      },
    };
  }
  throw new Error(`${name} ended with ${await exited} before it was ready`);
}
