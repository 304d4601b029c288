// Which compiler a build would use: its version for people, and everything about it that can change
// the outcome for the key.
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { UserError } from "../../core/base/errors.ts";
import { missingProgram } from "../sys/find-program.ts";
import { orNull } from "../sys/or-null.ts";
import { type CommandOptions, type Exit, runCommand } from "../sys/process.ts";

export interface Toolchain {
  /** What the tools say of themselves, one line. */
  version: string;
  /**
   * The version and the settings kept outside the repository. Equal identities build alike, but for
   * opaque ones.
   */
  identity: string;
  /**
   * What compiles is not known: make, a shell or a script may start any compiler, which can change
   * while they do not.
   */
  opaque: boolean;
}

interface ToolPorts extends CommandOptions {
  /** What the tool is for, in words. */
  wanted: string;
  /** Where the build would run: toolchains can be chosen by folder. */
  cwd: string;
  env: Record<string, string>;
  abort: AbortSignal;
}

/** A tool that is asked who it is may start what the repository names. */
export const ASKED = { timeoutMs: 60_000, endsAll: "with us" } as const;

/** `go env -w` and the environment both end up here. The rest of `go env` names folders. */
const GO_SETTINGS =
  "GOFLAGS GOOS GOARCH GOAMD64 GOARM64 GOEXPERIMENT CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS CC";

/** Where the programs that can be missing come from. */
const INSTALL: Readonly<Record<string, string>> = {
  cargo: "Install Rust from https://rustup.rs.",
  go: "Install Go from https://go.dev/dl.",
  node: "Install Node.js from https://nodejs.org.",
  npm: "Install Node.js, which brings npm, from https://nodejs.org.",
};

/** `argv` is the recipe's build command; an empty one needs no tool. */
export async function readToolchain(argv: readonly string[], ports: ToolPorts): Promise<Toolchain> {
  const [program] = argv;
  if (program === undefined) return { version: "none", identity: "none", opaque: false };
  switch (basename(program)) {
    case "cargo": {
      const cargo = await firstLine([program, "-V"], ports);
      const rustc = await firstLine(["rustc", "-V"], ports);
      const version = `${cargo}, ${rustc}`;
      return { version, identity: `${version}\n${cargoSettings(ports.env)}`, opaque: false };
    }
    case "go": {
      const version = await firstLine([program, "version"], ports);
      const settings = await output([program, "env", ...GO_SETTINGS.split(" ")], ports);
      return { version, identity: `${version}\n${settings}`, opaque: false };
    }
    case "npm":
    case "npx":
    case "pnpm":
    case "yarn": {
      const node = await firstLine(["node", "--version"], ports);
      const version = `node ${node}, ${basename(program)} ${await firstLine([program, "--version"], ports)}`;
      return { version, identity: version, opaque: false };
    }
    default: {
      // A script of the repository's own is not run to ask for its version: it might do its work
      // instead.
      const version = program.includes("/")
        ? basename(program)
        : `${program} ${await firstLine([program, "--version"], ports)}`;
      return { version, identity: version, opaque: true };
    }
  }
}

/**
 * Throws a UserError where the tool was interrupted, or cannot be started: the program that starts it
 * would say so in a line that looks like the tool's own.
 */
export async function runTool<T extends Exit>(
  run: (argv: readonly string[], options: CommandOptions) => Promise<T>,
  argv: readonly string[],
  { wanted, ...options }: ToolPorts,
): Promise<T> {
  const [program = ""] = argv;
  const missing = missingProgram(program, options.cwd, options.env.PATH);
  if (missing !== null) {
    const install = `Install ${program}, or correct the build command.`;
    const { why, detail, next = INSTALL[basename(program)] ?? install } = missing;
    throw new UserError(`${wanted} could not be started: ${why}`, { detail, next });
  }
  const result = await run(argv, options);
  if (options.abort.aborted) throw new UserError(`${wanted} was interrupted`, {}, "interrupted");
  return result;
}

async function output(argv: readonly string[], ports: ToolPorts): Promise<string> {
  const result = await runTool(runCommand, argv, { ...ports, ...ASKED });
  return result.code === 0 ? result.stdout : "of unknown version";
}

async function firstLine(argv: readonly string[], ports: ToolPorts): Promise<string> {
  return (await output(argv, ports)).split("\n")[0] ?? "";
}

/** Flags can be set for the whole machine; the file is hashed because it can also hold tokens. */
function cargoSettings(env: Record<string, string>): string {
  const home = (): string => env.CARGO_HOME ?? join(env.HOME ?? homedir(), ".cargo");
  return ["config.toml", "config"]
    .map((name) => orNull(() => hash("sha256", readFileSync(join(home(), name)))) ?? "none")
    .join("\n");
}
