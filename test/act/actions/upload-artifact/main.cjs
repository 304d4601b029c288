// What is in the folder, not the folder itself, is the artifact: as the real action has it.
const { cpSync, existsSync, globSync, mkdirSync, statSync } = require("node:fs");
const { basename, join, resolve } = require("node:path");

const { INPUT_NAME: name, INPUT_PATH: path } = process.env;
const sources = globSync(resolve(process.env.GITHUB_WORKSPACE, path.trim()));
const target = join(process.env.TAILGATE_TEST_ARTIFACTS, process.env.GITHUB_RUN_ID, name);

if (sources.length === 0) {
  console.log(`::error::No files were found with the provided path: ${path}.`);
  process.exit(process.env["INPUT_IF-NO-FILES-FOUND"] === "error" ? 1 : 0);
}
if (existsSync(target)) {
  console.log(`::error::an artifact with the name ${name} already exists on the workflow run`);
  process.exit(1);
}
mkdirSync(target, { recursive: true });
for (const source of sources) {
  const to = statSync(source).isDirectory() ? target : join(target, basename(source));
  cpSync(source, to, { recursive: true });
}
console.log(`artifact ${name} has been stored`);
