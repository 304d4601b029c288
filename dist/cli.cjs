#!/usr/bin/env node
"use strict";

// src/cli/entry.ts
var import_node_module = require("node:module");
var [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") {
  process.stdout.write(`tailgate ${"0.1.0"}
`);
} else {
  (0, import_node_module.enableCompileCache)();
  require("./main.cjs");
}
