// The inputs of a step, its token among them, come in the environment, and what a process was started
// with stands in /proc for every process of its user, whatever it removes from it later. So the process
// that builds and measures was never given them: the first one replaces itself, by the same program
// without them, and leaves them in a file without a name that is read and closed at once.
import { closeSync, constants, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { RUNNER_PRIVATE } from "../../machine/sys/runner-private.ts";

/** Last argument of the second process, whose standard input holds the inputs. */
const HANDED_OVER = "--inputs-on-stdin";
/** Else every process of this user may start one by a signal, and ask it for what is in memory. */
const NO_DEBUGGER = "--disable-sigusr1";
/** O_TMPFILE, for which Node has no name; O_EXCL: nobody can give the file a name either. */
const NAMELESS = 0o20000000 | constants.O_DIRECTORY | constants.O_EXCL | constants.O_RDWR;

/** Every input that the workflow gives, by name in lower case. In the first process it does not return. */
export function takeInputs(): Map<string, string> {
  if (process.argv.at(-1) === HANDED_OVER) return new Map(JSON.parse(readStdinOnce()));
  const inputs = givenInputs(process.env);
  for (const name of Object.keys(process.env))
    if (RUNNER_PRIVATE.test(name)) delete process.env[name];
  if (process.execve !== undefined && standInStdin(JSON.stringify(inputs))) {
    const args = [...process.execArgv, NO_DEBUGGER, ...process.argv.slice(1), HANDED_OVER];
    process.execve(process.execPath, [process.execPath, ...args], process.env);
  }
  process.stdout.write(
    `::warning title=Tailgate::builds and services can read this step's token: Node ${process.versions.node} cannot replace its process here. Use the runner's own Node 24, on Linux\n`,
  );
  return new Map(inputs);
}

export const givenInputs = (env: NodeJS.ProcessEnv): [name: string, value: string][] =>
  Object.entries(env).flatMap(([variable, value = ""]) => {
    const name = /^INPUT_(.+)$/.exec(variable)?.[1];
    return name === undefined ? [] : [[name.toLowerCase(), value]];
  });

/** Of all that Node opens, a process that is replaced keeps the standard streams alone. */
function standInStdin(text: string): boolean {
  for (const folder of ["/dev/shm", tmpdir()]) {
    try {
      const file = openSync(folder, NAMELESS, 0o600);
      writeFileSync(file, text);
      closeSync(0);
      // The lowest number that is free.
      if (openSync(`/proc/self/fd/${file}`, "r") === 0) return true;
    } catch {
      // No such folder, or a file system without nameless files.
    }
  }
  return false;
}

function readStdinOnce(): string {
  const text = readFileSync(0, "utf8");
  closeSync(0);
  // Nothing else may become standard input.
  openSync("/dev/null", "r");
  return text;
}
