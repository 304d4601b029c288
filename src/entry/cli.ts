// What `tailgate` starts: answers --version at once, and loads everything else when it is needed.
import { watchStreams } from "../cli/streams.ts";
import { sayDamaged } from "./say-damaged.ts";

/** The oldest Node that has all that the program uses. */
const NODE_MAJOR = 24;

watchStreams();
const [first] = process.argv.slice(2);
if (first !== undefined && ["--version", "-V", "-v", "version"].includes(first)) {
  process.stdout.write(`tailgate ${process.env.TAILGATE_VERSION ?? "0.0.0-dev"}\n`);
} else if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR) {
  process.stderr.write(
    `tailgate: needs Node ${NODE_MAJOR} or newer, and this is ${process.versions.node}\n` +
      "  Install one (https://nodejs.org) and put it first on the PATH, or start tailgate with it: <node> <path of cli.cjs>.\n",
  );
  process.exitCode = 2;
} else {
  start().catch(sayDamaged);
}

async function start(): Promise<void> {
  const { startCli } = await import("../cli/main.ts");
  const { satellites } = await import("./satellites.ts");
  await startCli(satellites);
}
