// What `tailgate` starts: answers --version at once, and hands everything else to the bundle beside it.
import { enableCompileCache } from "node:module";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") {
  process.stdout.write(`tailgate ${process.env.TAILGATE_VERSION ?? "0.0.0-dev"}\n`);
} else {
  // Compiled code is kept between starts, under the system's temporary folder.
  enableCompileCache();
  // A name that the bundler leaves alone: main.cjs is a bundle of its own, so that --version need not parse it.
  require("./main.cjs");
}
