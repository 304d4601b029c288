#!/usr/bin/env node
"use strict";var import_node_module=require("node:module");var NODE_MAJOR=24;var[first]=process.argv.slice(2);if(first==="--version"||first==="-V"){process.stdout.write(`tai\
lgate ${"0.1.0"}
`)}else if(Number.parseInt(process.versions.node,10)<NODE_MAJOR){process.stderr.write(`tailgate: needs Node ${NODE_MAJOR} or newer, and this is ${process.versions.
node}
  Install one (https://nodejs.org) and put it first on the PATH, or start tailgate with it: <node> <path of cli.cjs>.
`);process.exitCode=2}else{(0,import_node_module.enableCompileCache)();require("./main.cjs").startCli()}
