// What the runner starts: keeps compiled code between starts, and hands over to the bundle beside
// it.
import { enableCompileCache } from "node:module";

enableCompileCache();
// A name that the bundler leaves alone: the program is one bundle, shared with the command line.
require("./main.cjs").startAction();
