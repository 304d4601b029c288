#!/usr/bin/env node
"use strict";var import_node_module=require("node:module");(0,import_node_module.enableCompileCache)();require("./main.cjs").startAction();
